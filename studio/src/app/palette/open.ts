import { Store } from "@/data/store";

/** Which of the palette and the list of keys is open. */
export const overlay = new Store<"palette" | "keys" | undefined>(undefined);
