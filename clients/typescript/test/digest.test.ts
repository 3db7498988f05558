import { expect, test } from "vitest";
import { digest } from "../src/digest.js";

test("digests are those of the Python client, whatever the labels", async () => {
  const known: [string[], string][] = [
    [["a", "b"], "dffenclikbodeajjafdigfnoifhgnbeg"],
    [["用户", "Ö/ä", "k"], "kppkaacfcddiekndbnecnonohfnjkann"],
    [["\u007f", 'a"b\\c', "😀\n\u2028"], "pjedlemgmbdnhdcgniidfeaiepjbgphm"],
    [[], "epfdmnkbimclkkamadfellfpjkdomlof"],
    [[""], "afffdjnpekaliaemfimkpegmamncjebk"],
  ];
  for (const [labels, digested] of known) expect(await digest(labels)).toBe(digested);
});
