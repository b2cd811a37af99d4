import { DateTime, Effect, Option, Schema } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { addTime, instantAt } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { GivenId } from "../../../domain/kernel/Text.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import { type NoticeFacts, NoticeRefused, type ReceivedNotice } from "../../../ports/payments/ProcessorNotices.ts"
import { Service } from "../../kernel/service/Service.ts"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"

/** Where notices come: an integration's own address, or that of the installation's account at a processor. */
export type NoticeAddress =
  | { readonly _tag: "Integration"; readonly id: string }
  | { readonly _tag: "Platform"; readonly processor: string }

/** Who reads what comes to an address. */
export interface Addressee {
  readonly name: string
  readonly processor: PaymentProcessor
  /** None at the address of the installation's own account. */
  readonly integration: Option.Option<Integration>
}

/** Integrations that are remembered, and integrations that are known to be there. */
const remembered = 10_000

/** How long one is remembered: a secret that was changed is the valid one from then on, milliseconds. */
const rememberedMillis = 5_000

const isIntegrationId = Schema.is(IntegrationId)

const isGivenId = Schema.is(GivenId)

const epoch = instantAt(0)

/**
 * Whether what a webhook says can be kept. Whoever has an account of their own signs what they like: texts are held to the
 * rules of bodies, and the time lies after 1970 and no further ahead than a sandbox's clock can be.
 */
const isSound = ({ account, created_at, event_id, object, type }: NoticeFacts, now: DateTime.Utc): boolean =>
  [event_id, type, object.reference ?? "-", account ?? "-"].every(isGivenId) &&
  DateTime.between(created_at, {
    minimum: epoch,
    maximum: addTime(now, { days: Limits.sandboxAheadDays + 1 })
  })

/**
 * Takes the notices of processors in: whoever sends one is verified before anything of it is read, and then it is only stored.
 * A worker applies it. money, section 2: Notice.
 */
export class NoticeReceiver extends Service<NoticeReceiver>()("almoner/app/NoticeReceiver", function* () {
  const integrations = yield* IntegrationStore
  const processors = yield* PaymentProcessors
  const store = yield* NoticeStore
  const tokens = yield* Tokens
  const recent = new Map<string, { readonly integration: Integration; readonly until: number }>()
  // In the order of their last look-ups: the first one was found longest ago.
  const known = new Set<string>()

  const remember = (integration: Integration, now: number): void => {
    const { id } = integration
    known.delete(id)
    const [first] = known
    if (known.size >= remembered && first !== undefined) known.delete(first)
    known.add(id)
    if (recent.size >= remembered) recent.clear()
    recent.set(id, { integration, until: now + rememberedMillis })
  }

  const integrationOf = Effect.fnUntraced(function* (id: IntegrationId) {
    const now = yield* monotonicMillis
    const found = recent.get(id)
    if (found !== undefined && found.until > now) return Option.some(found.integration)
    const integration = yield* integrations.ofId(id)
    if (Option.isSome(integration)) remember(integration.value, now)
    else known.delete(id)
    return integration
  })

  const named = (name: string, integration: Option.Option<Integration>): Option.Option<Addressee> =>
    Option.map(processors.find(name), (processor) => ({ name, processor, integration }))

  /** Whether an address was found within this process, so that looking for it costs nothing that a stranger chooses. */
  const isKnown = (address: NoticeAddress): boolean => address._tag === "Platform" || known.has(address.id)

  /** Who reads what comes to an address; none where there is nobody. */
  const find = Effect.fnUntraced(function* (address: NoticeAddress) {
    if (address._tag === "Platform") return named(address.processor, Option.none())
    // A text that is no id costs no look-up.
    if (!isIntegrationId(address.id)) return Option.none<Addressee>()
    const integration = yield* integrationOf(address.id)
    return Option.flatMap(integration, (found) => named(found.processor, Option.some(found)))
  })

  /**
   * Keeps what a processor said, to be applied soon, and answers whether it is new: for what came by HTTP, and for what
   * somebody fetched who asked the processor for its events. A repetition does nothing.
   */
  const take = Effect.fnUntraced(function* (to: Pick<Addressee, "name" | "integration">, facts: NoticeFacts) {
    const id = yield* tokens.id("notice")
    const at = yield* store.now
    const { charge_id, kind, reference } = facts.object
    const { births, machine } = Notice
    const born = birth(machine, births.received, (status) => ({
      id,
      organisation_id: Option.getOrNull(Option.map(to.integration, ({ organisation_id }) => organisation_id)),
      integration_id: Option.getOrNull(Option.map(to.integration, (integration) => integration.id)),
      processor: to.name,
      event_id: facts.event_id,
      type: facts.type,
      object: kind,
      reference,
      charge_id,
      account: facts.account,
      status,
      error: null,
      attempts: 0,
      apply_at: at,
      sent_at: facts.created_at,
      ended_at: null,
      created_at: at,
      updated_at: at
    }))
    return yield* store.add(born.state)
  })

  /**
   * {@link take} for one who has an integration's facts at hand, such as those of `noticesSince`: applied if unseen. Answers
   * how many were.
   */
  const takeUnseen = Effect.fnUntraced(function* (integration: Integration, all: ReadonlyArray<NoticeFacts>) {
    const to = { name: integration.processor, integration: Option.some(integration) }
    let unseen = 0
    for (const facts of all) if (yield* take(to, facts)) unseen += 1
    return unseen
  })

  /** Verifies and keeps what came to somebody who was found; answers whether it is new. */
  const accept = Effect.fnUntraced(function* (to: Addressee, headers: ReceivedNotice["headers"], body: Uint8Array) {
    if (body.byteLength > Limits.noticeBytes) return yield* new Notice.NoticeTooLarge({})
    const facts = yield* to.processor.verifyNotice({ integration: to.integration, headers, body })
    if (!isSound(facts, yield* store.now)) return yield* new NoticeRefused({})
    return yield* take(to, facts)
  })

  /**
   * Takes a notice in as it came. Fails with {@link NotFound} for an address that nobody reads, with {@link Notice.NoticeTooLarge},
   * and with {@link NoticeRefused} where it is not signed by the processor, or was long ago. Nothing of the processor is called.
   */
  const receive = Effect.fnUntraced(function* (
    address: NoticeAddress,
    headers: ReceivedNotice["headers"],
    body: Uint8Array
  ) {
    const to = yield* find(address)
    if (Option.isNone(to)) {
      return yield* address._tag === "Integration"
        ? new NotFound({ record: "integration", id: address.id })
        : new NotFound({ record: "processor", id: address.processor })
    }
    return yield* accept(to.value, headers, body)
  })

  return { isKnown, find, accept, receive, take, takeUnseen } as const
}) {}
