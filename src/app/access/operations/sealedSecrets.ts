import { Schema } from "effect"
import { KeyStatus, Resealed, Trial } from "../../../domain/access/KeyUsage.ts"
import { SealedSecrets } from "../SealedSecrets.ts"
import { operationsOf } from "../steps/Operation.ts"

const secrets = operationsOf(SealedSecrets)

/** The operations of {@link SealedSecrets}. */
export const sealedSecretOperations = {
  trial: secrets.forInstallation({ takes: [], gives: Trial, run: ({ trial }) => trial }),
  status: secrets.forInstallation({ takes: [], gives: Schema.Array(KeyStatus), run: ({ status }) => status }),
  reseal: secrets.forInstallation({ takes: [], gives: Resealed, run: ({ reseal }) => reseal })
}
