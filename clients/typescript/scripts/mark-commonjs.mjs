// Node reads the files below dist/cjs as CommonJS only if a package.json there says so.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("../dist/cjs/package.json", import.meta.url), '{ "type": "commonjs" }\n');
