import { Effect } from "effect"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { CapStore } from "../../ports/compliance/CapStore.ts"
import type { DonorStore } from "../../ports/giving/DonorStore.ts"
import { newDonor } from "./MoneyRecords.ts"
import { newOrganisation } from "./Records.ts"
import { type Check, check, same, twice } from "./Suite.ts"

/** The laws of {@link CapStore}. */
export const caps = (): ReadonlyArray<Check<CapStore | DonorStore | OrganisationStore>> => [
  check(
    "what is set about caps is read back, of its own organisation and donor alone",
    ["CapStore.isBlocking MUST be false where nothing was set", "CapStore.kindOf MUST be ANY where nothing was set"],
    Effect.fnUntraced(function* () {
      const store = yield* CapStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const [body, donor] = [yield* newDonor(id), yield* newDonor(id)]
      same([yield* store.isBlocking(id), yield* store.kindOf(id, body.id)], [false, "ANY"])
      for (const isSet of [true, true, false, false]) {
        const kind = isSet ? "PEAK_BODY" : "ANY"
        yield* store.setBlocking(id, isSet)
        yield* store.setKind(id, body.id, kind)
        same([yield* store.isBlocking(id), yield* store.kindOf(id, body.id)], [isSet, kind])
        same([yield* store.isBlocking(other.id), yield* store.kindOf(id, donor.id)], [false, "ANY"])
        same(yield* store.kindOf(other.id, body.id), "ANY")
      }
    }, twice)
  )
]
