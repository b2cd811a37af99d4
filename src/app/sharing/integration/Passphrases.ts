import { Effect, Option } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Passphrase from "../../../domain/sharing/Passphrase.ts"
import type { Holder } from "../../../domain/sharing/RecipientAccount.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"

/** Makes distribution passphrases, and finds the integration of one. Only keyed hashes are stored. decisions, section 4. */
export const makePassphrases = Effect.gen(function* () {
  const integrations = yield* IntegrationStore
  const macs = yield* Macs
  const organisations = yield* OrganisationStore
  const tokens = yield* Tokens

  const hashOf = Effect.fnUntraced(function* (key_id: string, passphrase: string) {
    const mac = yield* macs.make(key_id, "passphrase", Passphrase.normalise(passphrase))
    return Option.map(mac, (hash) => ({ key_id, hash }))
  })

  /** A new passphrase with its hash under the newest key of the ring. */
  const draw = Effect.gen(function* () {
    const passphrase = Passphrase.assemble(yield* tokens.words(Limits.passphraseWords))
    const { hash, key_id } = Option.getOrThrow(yield* hashOf(macs.keyIds[0], passphrase))
    return { passphrase, passphrase_hash: hash, passphrase_key_id: key_id }
  })

  /** The integration of this passphrase, under any key of the ring, with its organisation; null when none. */
  const holderOf = Effect.fnUntraced(function* (passphrase: string) {
    const hashes = yield* Effect.forEach(macs.keyIds, (key_id) => hashOf(key_id, passphrase))
    const integration = yield* integrations.findByPassphrase(hashes.flatMap(Option.toArray))
    if (Option.isNone(integration)) return null
    const organisation = yield* organisations.find(integration.value.organisation_id)
    const holder: Holder | null = Option.match(organisation, {
      onNone: () => null,
      onSome: (found) => ({ integration: integration.value, organisation: found })
    })
    return holder
  })

  return { draw, holderOf } as const
})
