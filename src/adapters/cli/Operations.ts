import type { Operation } from "./Operation.ts"
import {
  apiKeyCommands,
  auditLogCommands,
  organisationCommands,
  sandboxCommands,
  sealedSecretCommands,
  userCommands
} from "./operations/access.ts"
import { checkoutCommands } from "./operations/checkouts.ts"
import {
  capCommands,
  codeAssignmentCommands,
  disclosureCommands,
  electionCommands,
  regimeCommands
} from "./operations/compliance.ts"
import { creditCommands, creditMappingCommands } from "./operations/credits.ts"
import { consentPromptCommands, givingSettingsCommands } from "./operations/givingSettings.ts"
import { integrationCommands } from "./operations/integrations.ts"
import { invitationCommands } from "./operations/invitations.ts"
import {
  eventConsumerCommands,
  mailCommands,
  sweepCommands,
  webhookEndpointCommands,
  yearlySummaryCommands
} from "./operations/outbox.ts"
import {
  chargeCommands,
  ledgerCommands,
  noticeCommands,
  paymentExceptionCommands,
  reconcilerCommands,
  refundCommands,
  tariffCommands
} from "./operations/payments.ts"
import { disclosureCommandsOfStaff, resourceCommands } from "./operations/resources.ts"
import { paymentCommands, transferCommands } from "./operations/sharedPayments.ts"
import { subscriptionCommands } from "./operations/subscriptions.ts"
import { testProcessorCommands } from "./operations/testProcessor.ts"
import { triggerCommands } from "./operations/trigger.ts"
import { webhookDeliveryCommands } from "./operations/webhookDeliveries.ts"

/** Every operation of the command, whether it is performed by the command itself or by a running server. */
export const operations: ReadonlyArray<Operation> = [
  ...organisationCommands,
  ...apiKeyCommands,
  ...sealedSecretCommands,
  ...regimeCommands,
  ...integrationCommands,
  ...resourceCommands,
  ...disclosureCommandsOfStaff,
  ...codeAssignmentCommands,
  ...electionCommands,
  ...capCommands,
  ...disclosureCommands,
  ...userCommands,
  ...invitationCommands,
  ...webhookEndpointCommands,
  ...webhookDeliveryCommands,
  ...triggerCommands,
  ...eventConsumerCommands,
  ...consentPromptCommands,
  ...givingSettingsCommands,
  ...checkoutCommands,
  ...chargeCommands,
  ...subscriptionCommands,
  ...creditCommands,
  ...creditMappingCommands,
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
  ...yearlySummaryCommands,
  ...auditLogCommands,
  ...reconcilerCommands,
  ...sweepCommands
]
