FROM python:3.12-slim
RUN useradd --create-home --uid 10001 reverie && mkdir /data && chown reverie /data
WORKDIR /app
COPY pyproject.toml README.md LICENSE alembic.ini ./
COPY alembic alembic
COPY sql sql
COPY service service
COPY worker worker
RUN pip install --no-cache-dir --editable .
USER reverie
EXPOSE 8000
CMD ["python", "-m", "service", "serve"]
