import type { Imported } from "@reverie/client";
import { useBlocker } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Button } from "@/components/Button";
import { saveFile } from "@/components/download";
import { Checkbox, Select } from "@/components/Field";
import { toastError } from "@/components/Toast";
import { useAgent } from "@/data/agents";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { engine as all } from "@/strings/engine";

const { transfer: texts } = all;
const FORMATS = ["reverie", "mem0", "arkos"] as const;
const SHOW_EVERY = 500;

function useLeaveGuard(isBusy: boolean) {
  useBlocker({
    disabled: !isBusy,
    enableBeforeUnload: () => isBusy,
    shouldBlockFn: () => !window.confirm(texts.unsaved),
  });
}

function Export() {
  const agent = useAgent();
  const [includesDeleted, setIncludesDeleted] = useState(false);
  const [lines, setLines] = useState<number>();
  const stopping = useRef<AbortController>(undefined);
  useLeaveGuard(lines !== undefined);

  async function start() {
    const stop = new AbortController();
    stopping.current = stop;
    const written: string[] = [];
    setLines(0);
    try {
      const query = { agent, include: includesDeleted ? "deleted,expired" : undefined };
      for await (const record of api.exportRecords(query, { signal: stop.signal })) {
        written.push(`${JSON.stringify(record)}\n`);
        if (written.length % SHOW_EVERY === 0) setLines(written.length);
      }
      saveFile(`${agent ?? "reverie"}.jsonl`, written.join(""), "application/x-ndjson");
    } catch (error) {
      if (!stop.signal.aborted) toastError(error);
    }
    setLines(undefined);
  }

  return (
    <section className="card stack" aria-label={texts.export}>
      <h2>{texts.export}</h2>
      <p className="soft">
        {texts.exportText} {texts.exportOf(agent)}
      </p>
      <Checkbox label={texts.includeDeleted} checked={includesDeleted} onChange={setIncludesDeleted} />
      <div className="row">
        <Button kind="primary" onClick={start}>
          {texts.start}
        </Button>
        {lines !== undefined && (
          <>
            <output className="num">{texts.lines(lines)}</output>
            <Button onClick={() => stopping.current?.abort()}>{texts.stop}</Button>
          </>
        )}
      </div>
    </section>
  );
}

function Import() {
  const agent = useAgent();
  const [format, setFormat] = useState<(typeof FORMATS)[number]>("reverie");
  const [file, setFile] = useState<File>();
  const [read, setRead] = useState<number>();
  const [done, setDone] = useState<Imported>();
  useLeaveGuard(read !== undefined);

  async function start() {
    if (!file) return;
    setDone(undefined);
    setRead(0);
    try {
      setDone(await api.importRecords(file, { format, agent, onProgress: setRead }));
      await refresh("/v1");
    } catch (error) {
      toastError(error);
    }
    setRead(undefined);
  }

  return (
    <section className="card stack" aria-label={texts.import}>
      <h2>{texts.import}</h2>
      <p className="soft">{texts.importText}</p>
      <Select
        label={texts.format}
        options={FORMATS.map((value) => ({ value, label: texts.formats[value] }))}
        value={format}
        onChange={setFormat}
      />
      <label className="stack small">
        {texts.file}
        <input type="file" onChange={(event) => setFile(event.target.files?.[0])} />
      </label>
      <div className="row">
        <Button kind="primary" disabled={!file} onClick={start}>
          {texts.go}
        </Button>
        {read !== undefined && <output className="num">{texts.read(read)}</output>}
        {done && <output>{texts.done(done.created, done.unchanged)}</output>}
      </div>
    </section>
  );
}

/** Everything out, or in. */
export function Transfer() {
  return (
    <>
      <Export />
      <Import />
    </>
  );
}
