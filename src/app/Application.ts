import { Effect, Layer } from "effect"
import { ApiKeys } from "./access/ApiKeys.ts"
import { AuditLog } from "./access/AuditLog.ts"
import { Authentication } from "./access/Authentication.ts"
import { ChangeLog } from "./access/change/Change.ts"
import { KeyCache } from "./access/key/KeyCache.ts"
import { Organisations } from "./access/Organisations.ts"
import { SealedSecrets } from "./access/SealedSecrets.ts"
import { Users } from "./access/Users.ts"
import { Caps } from "./compliance/Caps.ts"
import { CodeAssignments } from "./compliance/CodeAssignments.ts"
import { DefaultCodes } from "./compliance/DefaultCodes.ts"
import { Disclosures } from "./compliance/Disclosures.ts"
import { capReactions } from "./compliance/disclosure/CapReactions.ts"
import { disclosureReactions, makeGiftReaction } from "./compliance/disclosure/DisclosureReactions.ts"
import { Elections } from "./compliance/Elections.ts"
import { Recounter } from "./compliance/Recounter.ts"
import { Regimes } from "./compliance/Regimes.ts"
import { CheckoutLinks } from "./giving/CheckoutLinks.ts"
import { ConsentPrompts } from "./giving/ConsentPrompts.ts"
import { ContactLogs } from "./giving/ContactLogs.ts"
import { DonationForms } from "./giving/DonationForms.ts"
import { Donations } from "./giving/Donations.ts"
import { Donors } from "./giving/Donors.ts"
import { followedDonations, GiftReactions } from "./giving/donation/GiftReactions.ts"
import { GivingSettings } from "./giving/GivingSettings.ts"
import { Refunds } from "./giving/Refunds.ts"
import { RevenueCodes } from "./giving/RevenueCodes.ts"
import { Campaigns } from "./insight/Campaigns.ts"
import { attributions } from "./insight/campaign/CampaignAttribution.ts"
import { DonorIntelligence } from "./insight/DonorIntelligence.ts"
import { Segments } from "./insight/Segments.ts"
import { type Reaction, Reactions } from "./kernel/reaction/Reactions.ts"
import { EventConsumers } from "./outbox/EventConsumers.ts"
import { EventHandlers } from "./outbox/EventHandlers.ts"
import { Events } from "./outbox/Events.ts"
import { Mails } from "./outbox/Mails.ts"
import { Sandbox } from "./outbox/Sandbox.ts"
import { Sweeper } from "./outbox/Sweeper.ts"
import { MoneyWorkers } from "./outbox/sandbox/SandboxWork.ts"
import { summaryReactions } from "./outbox/summary/SummaryWriter.ts"
import { WebhookDeliveries } from "./outbox/WebhookDeliveries.ts"
import { WebhookEndpoints } from "./outbox/WebhookEndpoints.ts"
import { YearlySummaries } from "./outbox/YearlySummaries.ts"
import { Charges } from "./payments/Charges.ts"
import { Credits } from "./payments/Credits.ts"
import { chargeReactions } from "./payments/charge/ChargeReactions.ts"
import { Ledger } from "./payments/Ledger.ts"
import { Notices } from "./payments/Notices.ts"
import { NoticeReceiver } from "./payments/notice/NoticeReceiver.ts"
import { PaymentExceptions } from "./payments/PaymentExceptions.ts"
import { Reconciler } from "./payments/Reconciler.ts"
import { Renewer } from "./payments/Renewer.ts"
import { Settler } from "./payments/Settler.ts"
import { Subscriptions } from "./payments/Subscriptions.ts"
import { subscriptionReactions } from "./payments/subscription/SubscriptionReactions.ts"
import { Tariffs } from "./payments/Tariffs.ts"
import { TestProcessor } from "./payments/TestProcessor.ts"
import { Checkouts } from "./sharing/Checkouts.ts"
import { Distributor } from "./sharing/Distributor.ts"
import { Integrations } from "./sharing/Integrations.ts"
import { Introductions } from "./sharing/Introductions.ts"
import { Invitations } from "./sharing/Invitations.ts"
import { Payments } from "./sharing/Payments.ts"
import { PersonalisedLinks } from "./sharing/PersonalisedLinks.ts"
import { paymentReactions } from "./sharing/payment/PaymentReactions.ts"
import { RecipientAccounts } from "./sharing/RecipientAccounts.ts"
import { RecommendationSets } from "./sharing/RecommendationSets.ts"
import { Transfers } from "./sharing/Transfers.ts"

/** The reactions of all contexts to events in contexts that must not import them. */
const reactions = Layer.effect(
  Reactions,
  Effect.map(
    Effect.all([
      chargeReactions,
      paymentReactions,
      subscriptionReactions,
      disclosureReactions,
      capReactions,
      summaryReactions
    ]),
    (all) => {
      const each = <E>(react: (one: Partial<Reaction>) => Effect.Effect<void, E> | undefined) =>
        Effect.forEach(all, (one) => react(one) ?? Effect.void, { discard: true })
      return Reactions.of({
        donorMerged: (merge) => each(({ donorMerged }) => donorMerged?.(merge)),
        timezoneChanged: (id) => each(({ timezoneChanged }) => timezoneChanged?.(id)),
        donorArchived: (archival) => each(({ donorArchived }) => donorArchived?.(archival)),
        refunding: (asked) => each(({ refunding }) => refunding?.(asked)),
        givingWay: (asked) => each(({ givingWay }) => givingWay?.(asked)),
        chargeMoved: (move) => each(({ chargeMoved }) => chargeMoved?.(move)),
        giftAsked: (asked) => each(({ giftAsked }) => giftAsked?.(asked)),
        paymentAnew: (anew) => each(({ paymentAnew }) => paymentAnew?.(anew)),
        refundChanged: (change) => each(({ refundChanged }) => refundChanged?.(change)),
        transfersDoubted: (doubt) =>
          Effect.map(
            Effect.forEach(all, ({ transfersDoubted }) => transfersDoubted?.(doubt) ?? Effect.succeed(true)),
            (answers) => answers.every((wasReached) => wasReached)
          )
      })
    }
  )
).pipe(Layer.provide(ChangeLog.layer))

const giftReactions = Layer.effect(
  GiftReactions,
  Effect.map(makeGiftReaction, (withGift) => GiftReactions.of({ withGift }))
).pipe(Layer.provide(ChangeLog.layer))

const moneyWorkers = Layer.effect(
  MoneyWorkers,
  Effect.gen(function* () {
    const { distributeDueOf } = yield* Distributor
    const { renewDueOf } = yield* Renewer
    const { settleDueOf } = yield* Settler
    return MoneyWorkers.of([settleDueOf, renewDueOf, distributeDueOf])
  })
).pipe(Layer.provide(Layer.mergeAll(Distributor.layer, Renewer.layer, Settler.layer)))

/** Every use case over the ports: HTTP, command line and promises are all built on it. */
export const useCases = Layer.mergeAll(
  ApiKeys.layer,
  AuditLog.layer,
  Authentication.layer,
  Campaigns.layer,
  Caps.layer,
  Charges.layer,
  CheckoutLinks.layer,
  Checkouts.layer,
  CodeAssignments.layer,
  ConsentPrompts.layer,
  ContactLogs.layer,
  Credits.layer,
  DefaultCodes.layer,
  Elections.layer,
  Distributor.layer,
  Disclosures.layer,
  Recounter.layer,
  DonationForms.layer,
  Donations.layer,
  Donors.layer,
  EventConsumers.layer,
  EventHandlers.layer,
  Events.layer,
  GivingSettings.layer,
  Integrations.layer,
  DonorIntelligence.layer,
  Introductions.layer,
  Invitations.layer,
  Ledger.layer,
  Mails.layer,
  Organisations.layer,
  Notices.layer,
  PaymentExceptions.layer,
  Payments.layer,
  PersonalisedLinks.layer,
  RecipientAccounts.layer,
  RecommendationSets.layer,
  Reconciler.layer,
  Renewer.layer,
  Refunds.layer,
  RevenueCodes.layer,
  Sandbox.layer.pipe(Layer.provide(moneyWorkers)),
  SealedSecrets.layer,
  Regimes.layer,
  Segments.layer,
  Settler.layer,
  Subscriptions.layer,
  Sweeper.layer,
  Tariffs.layer,
  TestProcessor.layer,
  Transfers.layer,
  Users.layer,
  WebhookDeliveries.layer,
  WebhookEndpoints.layer,
  YearlySummaries.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(ChangeLog.layer, KeyCache.layer, NoticeReceiver.layer, attributions, reactions)),
  Layer.provide(followedDonations.pipe(Layer.provide(giftReactions)))
)
