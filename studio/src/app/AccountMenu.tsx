import { useNavigate } from "@tanstack/react-router";
import { Check, CircleUser, KeyRound, LogOut, Plus } from "lucide-react";
import { Menu, MenuItem } from "@/components/Menu";
import { chooseKey, signOut, useSession } from "@/data/session";
import { common } from "@/strings/common";

/** The keys of this browser, one of which this tab uses, and the way out. */
export function AccountMenu({ onAddKey }: { onAddKey: () => void }) {
  const { keys, current } = useSession();
  const navigate = useNavigate();
  return (
    <Menu label={common.account} icon={<CircleUser />}>
      {keys.map((key) => (
        <MenuItem
          key={key.id}
          icon={key.id === current?.id ? <Check /> : <KeyRound />}
          onSelect={() => {
            chooseKey(key.id);
            void navigate({ to: ".", search: {} });
          }}
        >
          <span>
            {key.workspace}
            <br />
            <span className="small faint">
              {key.name} · {key.agent ?? key.role}
            </span>
          </span>
        </MenuItem>
      ))}
      <MenuItem icon={<Plus />} onSelect={onAddKey}>
        {common.addKey}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={() => void signOut()}>
        {common.signOut}
      </MenuItem>
    </Menu>
  );
}
