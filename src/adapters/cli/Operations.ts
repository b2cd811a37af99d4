import type { Operation } from "./Operation.ts"
import { apiKeyCommands } from "./operations/apiKeys.ts"
import { auditLogCommands } from "./operations/auditLog.ts"
import { chargeCommands } from "./operations/charges.ts"
import { checkoutCommands } from "./operations/checkouts.ts"
import { consentPromptCommands } from "./operations/consentPrompts.ts"
import { creditCommands } from "./operations/credits.ts"
import { eventConsumerCommands } from "./operations/eventConsumers.ts"
import { integrationCommands } from "./operations/integrations.ts"
import { invitationCommands } from "./operations/invitations.ts"
import { ledgerCommands } from "./operations/ledger.ts"
import { mailCommands } from "./operations/mails.ts"
import { noticeCommands } from "./operations/notices.ts"
import { organisationCommands } from "./operations/organisations.ts"
import { paymentExceptionCommands } from "./operations/paymentExceptions.ts"
import { paymentCommands } from "./operations/payments.ts"
import { recipientAccountCommands } from "./operations/recipientAccounts.ts"
import { reconcilerCommands } from "./operations/reconciler.ts"
import { refundCommands } from "./operations/refunds.ts"
import { sandboxCommands } from "./operations/sandbox.ts"
import { sealedSecretCommands } from "./operations/sealedSecrets.ts"
import { subscriptionCommands } from "./operations/subscriptions.ts"
import { sweepCommands } from "./operations/sweep.ts"
import { tariffCommands } from "./operations/tariffs.ts"
import { testProcessorCommands } from "./operations/testProcessor.ts"
import { transferCommands } from "./operations/transfers.ts"
import { userCommands } from "./operations/users.ts"
import { webhookDeliveryCommands } from "./operations/webhookDeliveries.ts"
import { webhookEndpointCommands } from "./operations/webhookEndpoints.ts"

/**
 * Every operation of the command: one table for a command that performs it itself and for a running server that
 * performs it for one.
 */
export const operations: ReadonlyArray<Operation> = [
  ...organisationCommands,
  ...apiKeyCommands,
  ...sealedSecretCommands,
  ...integrationCommands,
  ...recipientAccountCommands,
  ...userCommands,
  ...invitationCommands,
  ...webhookEndpointCommands,
  ...webhookDeliveryCommands,
  ...eventConsumerCommands,
  ...consentPromptCommands,
  ...checkoutCommands,
  ...chargeCommands,
  ...subscriptionCommands,
  ...creditCommands,
  ...refundCommands,
  ...paymentExceptionCommands,
  ...noticeCommands,
  ...ledgerCommands,
  ...tariffCommands,
  ...testProcessorCommands,
  ...sandboxCommands,
  ...paymentCommands,
  ...transferCommands,
  ...mailCommands,
  ...auditLogCommands,
  ...reconcilerCommands,
  ...sweepCommands
]
