import type { Effect } from "effect"
import { Context } from "effect"
import type { Election } from "../../domain/compliance/Election.ts"

/** Keeps the elections that operators added to the installation, beside those of its file of regimes. law, section 2. */
export class ElectionStore extends Context.Service<
  ElectionStore,
  {
    /** All of them, by jurisdiction and the day of the writ. */
    readonly all: Effect.Effect<ReadonlyArray<Election>>
    /** The same to change them. MUST hold all of them against every other change until the transaction ends. */
    readonly allForUpdate: Effect.Effect<ReadonlyArray<Election>>
    /** No other of its jurisdiction has a writ of that day. */
    add(election: Election): Effect.Effect<void>
    /** Takes out the one of this jurisdiction whose writ is of this day. */
    remove(election: Pick<Election, "jurisdiction" | "writ_on">): Effect.Effect<void>
  }
>()("almoner/ports/ElectionStore") {}
