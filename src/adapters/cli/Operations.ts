import type { Operation } from "./Operation.ts"
import * as Access from "./operations/access.ts"
import { checkoutCommands } from "./operations/checkouts.ts"
import * as Compliance from "./operations/compliance.ts"
import { creditCommands, creditMappingCommands } from "./operations/credits.ts"
import { consentPromptCommands, givingSettingsCommands } from "./operations/givingSettings.ts"
import { integrationCommands } from "./operations/integrations.ts"
import { invitationCommands } from "./operations/invitations.ts"
import * as Outbox from "./operations/outbox.ts"
import * as Payments from "./operations/payments.ts"
import { disclosureCommandsOfStaff, resourceCommands } from "./operations/resources.ts"
import { paymentCommands, transferCommands } from "./operations/sharedPayments.ts"
import { subscriptionCommands } from "./operations/subscriptions.ts"
import { testProcessorCommands } from "./operations/testProcessor.ts"
import { triggerCommands } from "./operations/trigger.ts"
import { webhookDeliveryCommands } from "./operations/webhookDeliveries.ts"

/** Every operation of the command, whether it is performed by the command itself or by a running server. */
export const operations: ReadonlyArray<Operation> = [
  ...Access.organisationCommands,
  ...Access.apiKeyCommands,
  ...Access.sealedSecretCommands,
  ...Compliance.regimeCommands,
  ...integrationCommands,
  ...resourceCommands,
  ...disclosureCommandsOfStaff,
  ...Compliance.codeAssignmentCommands,
  ...Compliance.electionCommands,
  ...Compliance.capCommands,
  ...Compliance.disclosureCommands,
  ...Access.userCommands,
  ...invitationCommands,
  ...Outbox.webhookEndpointCommands,
  ...webhookDeliveryCommands,
  ...triggerCommands,
  ...Outbox.eventConsumerCommands,
  ...consentPromptCommands,
  ...givingSettingsCommands,
  ...checkoutCommands,
  ...Payments.chargeCommands,
  ...subscriptionCommands,
  ...creditCommands,
  ...creditMappingCommands,
  ...Payments.refundCommands,
  ...Payments.paymentExceptionCommands,
  ...Payments.noticeCommands,
  ...Payments.ledgerCommands,
  ...Payments.tariffCommands,
  ...testProcessorCommands,
  ...Access.sandboxCommands,
  ...paymentCommands,
  ...transferCommands,
  ...Outbox.mailCommands,
  ...Outbox.yearlySummaryCommands,
  ...Access.auditLogCommands,
  ...Payments.reconcilerCommands,
  ...Outbox.sweepCommands
]
