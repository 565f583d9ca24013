// driver.js DIR -- run every exported JavaScript file there over its float64 rows.
"use strict";
const fs = require("fs");
const path = require("path");

const folder = path.resolve(process.argv[2]);
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".js"))) {
  const stem = path.join(folder, file.slice(0, -3));
  const calibrate = require(stem + ".js");
  const [inputs] = fs.readFileSync(stem + ".dims", "utf8").split(" ").map(Number);
  const bytes = fs.readFileSync(stem + ".in");
  const rows = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const out = [];
  for (let i = 0; i < rows.length; i += inputs) {
    if (inputs === 1) {
      out.push(calibrate(rows[i]));
      continue;
    }
    const row = calibrate(Array.from(rows.slice(i, i + inputs)));
    out.push(...row.probabilities, row.predicted);
  }
  fs.writeFileSync(stem + ".out", Buffer.from(new Float64Array(out).buffer));
}
