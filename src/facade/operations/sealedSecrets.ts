import { Schema } from "effect"
import { SealedSecrets } from "../../app/access/SealedSecrets.ts"
import { KeyStatus, Resealed, Trial } from "../../domain/access/KeyUsage.ts"
import { operationsOf } from "../Declare.ts"

const secrets = operationsOf(SealedSecrets)

/** The operations of {@link SealedSecrets}. */
export const sealedSecretOperations = {
  trial: secrets.forInstallation({ takes: [], gives: Trial, run: ({ trial }) => trial }),
  status: secrets.forInstallation({ takes: [], gives: Schema.Array(KeyStatus), run: ({ status }) => status }),
  reseal: secrets.forInstallation({ takes: [], gives: Resealed, run: ({ reseal }) => reseal })
}
