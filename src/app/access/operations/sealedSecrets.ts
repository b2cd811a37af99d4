import { Schema } from "effect"
import { KeyStatus, Resealed, Trial } from "../../../domain/access/KeyUsage.ts"
import { SealedSecrets } from "../SealedSecrets.ts"
import { operationsOf } from "../steps/Operation.ts"

const secrets = operationsOf(SealedSecrets)

/** The operations of {@link SealedSecrets}. */
export const sealedSecretOperations = {
  trial: secrets.forInstallation({
    says: "Try whether the key ring opens what is sealed",
    takes: [],
    gives: Trial,
    run: ({ trial }) => trial
  }),
  status: secrets.forInstallation({
    says: "Show the keys of the key ring, newest first, and how much of what is in use each made",
    takes: [],
    gives: Schema.Array(KeyStatus),
    run: ({ status }) => status
  }),
  reseal: secrets.forInstallation({
    says: "Seal with the newest key what older keys of the ring sealed; it may be cut off and done again",
    takes: [],
    gives: Resealed,
    run: ({ reseal }) => reseal
  })
}
