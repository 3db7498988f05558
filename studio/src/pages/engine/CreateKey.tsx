import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Checkbox, Select, TextField } from "@/components/Field";
import { toastError } from "@/components/Toast";
import { useAgent } from "@/data/agents";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { engine as all } from "@/strings/engine";

const { keys: texts } = all;
const ROLES = ["agent", "reader", "admin"] as const;
const SCOPES = ["read", "write", "dream", "export"] as const;
type Scope = (typeof SCOPES)[number];

/** Makes a key; an agent key needs its agent before it can be made. */
export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (key: string) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<(typeof ROLES)[number]>("agent");
  const [agent, setAgent] = useState(useAgent() ?? "");
  const [user, setUser] = useState("");
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [expires, setExpires] = useState("");
  const isWhole = name.trim() !== "" && (role !== "agent" || agent.trim() !== "");

  async function create() {
    try {
      const made = await api.createKey(role, name.trim(), {
        agent: role === "agent" ? agent.trim() : null,
        user: role === "admin" ? null : user.trim() || null,
        scopes: scopes.length ? scopes : null,
        expires_at: expires ? new Date(expires).toISOString() : null,
      });
      onClose();
      onCreated(made.key);
      await refresh("/v1/keys");
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Dialog
      title={texts.create}
      isDirty={name !== ""}
      onClose={onClose}
      actions={
        <Button kind="primary" disabled={!isWhole} onClick={create}>
          {texts.create}
        </Button>
      }
    >
      <TextField label={texts.name} value={name} maxLength={200} onChange={setName} />
      <Select
        label={texts.role}
        options={ROLES.map((value) => ({ value, label: texts.roles[value] }))}
        value={role}
        onChange={setRole}
      />
      {role === "agent" && <TextField label={texts.agent} value={agent} onChange={setAgent} />}
      {role !== "admin" && <TextField label={texts.user} hint={texts.userHint} value={user} onChange={setUser} />}
      <fieldset className="stack">
        <legend className="small">{texts.scopes}</legend>
        <p className="small faint">{texts.scopesHint}</p>
        <div className="row">
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              label={scope}
              checked={scopes.includes(scope)}
              onChange={(on) => setScopes(SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))))}
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label={texts.expires}
        hint={texts.expiresHint}
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
    </Dialog>
  );
}
