import { Effect } from "effect"
import type { IntroductionId } from "../../../domain/kernel/Ids.ts"
import * as Introduction from "../../../domain/sharing/Introduction.ts"
import type { RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { makeChange } from "../../access/change/Change.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"

/** Makes the {@link makeChange} of introductions. `account` is the account that they link, if any. */
export const makeIntroductionChange = Effect.gen(function* () {
  const store = yield* IntroductionStore
  const make = yield* makeChange
  return (account: RecipientAccount | null) =>
    make({
      machine: Introduction.machine,
      lock: (organisation_id, id: IntroductionId) =>
        store.findForUpdate(organisation_id, id).pipe(orNotFound("introduction", id)),
      refuseEnded: () => Effect.void,
      // The external id does not change, so it cannot be taken.
      update: (introduction) => Effect.orDie(store.update(introduction)),
      tell: (types, introduction) => Introduction.emissionsOf(types, introduction, account)
    })
})
