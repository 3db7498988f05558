#!/bin/sh
# Writes build/sbom/*.cdx.json: what the service and the TypeScript packages are made of, in CycloneDX.
# cyclonedx-bom reads the lock file, hashes included, in an environment of its own; npm reads its own.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/sbom
"${PYTHON:-python3}" -m venv build/cyclonedx
build/cyclonedx/bin/python -m pip install --quiet 'cyclonedx-bom>=7.2,<8'
build/cyclonedx/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml \
    --output-reproducible --no-validate --output-format JSON --output-file build/sbom/service.cdx.json
for package in clients/typescript studio; do
    if command -v npm > /dev/null && [ -f "$package/package-lock.json" ]; then
        (cd "$package" && npm sbom --package-lock-only --sbom-format cyclonedx) > "build/sbom/$(basename "$package").cdx.json"
    else
        echo "no npm here: $package has no SBOM" >&2
    fi
done
ls build/sbom
