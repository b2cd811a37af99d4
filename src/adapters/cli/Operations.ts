import type { Operation } from "./Operation.ts"
import { auditOperations } from "./operations/audit.ts"
import { deliveryOperations } from "./operations/deliveries.ts"
import { endpointOperations } from "./operations/endpoints.ts"
import { integrationOperations } from "./operations/integrations.ts"
import { invitationOperations } from "./operations/invitations.ts"
import { keyRingOperations } from "./operations/keyRing.ts"
import { keyOperations } from "./operations/keys.ts"
import { mailOperations } from "./operations/mails.ts"
import { organisationOperations } from "./operations/organisations.ts"
import { recipientAccountOperations } from "./operations/recipientAccounts.ts"
import { refundOperations } from "./operations/refunds.ts"
import { sweepOperations } from "./operations/sweep.ts"
import { userOperations } from "./operations/users.ts"

/** Every operation of the command: the same table serves a command by itself and a running server for one. */
export const operations: ReadonlyArray<Operation> = [
  ...organisationOperations,
  ...keyOperations,
  ...keyRingOperations,
  ...integrationOperations,
  ...recipientAccountOperations,
  ...userOperations,
  ...invitationOperations,
  ...endpointOperations,
  ...deliveryOperations,
  ...refundOperations,
  ...mailOperations,
  ...auditOperations,
  ...sweepOperations
]
