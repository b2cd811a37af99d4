import type { DateTime, Effect, Option } from "effect"
import { Schema } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { ChargeId } from "../../domain/kernel/Ids.ts"
import { Rejection } from "../../domain/kernel/Rejection.ts"
import type { ObjectKind } from "../../domain/payments/Notice.ts"
import type { ProcessorFailure } from "./PaymentProcessors.ts"

/** The subject of a notice, as far as it is known. */
export interface NoticeObject {
  readonly kind: ObjectKind
  /**
   * The processor's identifier of the charge (or account, or what a mandate's reference is) that it concerns; null where the
   * notice does not say.
   */
  readonly reference: string | null
  /** Our charge, from the object's metadata: of a mandate the one that saved it. Null where they name none. */
  readonly charge_id: ChargeId | null
}

/** A webhook of a processor. It is a hint that something changed, never a fact. money, section 1. */
export interface NoticeFacts {
  /** The processor's own id of the event. */
  readonly event_id: string
  readonly type: string
  readonly object: NoticeObject
  /** The connected account that it concerns; null where it is the account's own. */
  readonly account: string | null
  readonly created_at: DateTime.Utc
}

/** A webhook that is not the processor's, or too old. The sender is told no reason. */
export class NoticeRefused extends Rejection.extend<NoticeRefused>("NoticeRefused")({
  _tag: Schema.tag("NoticeRefused")
}) {
  override get message(): string {
    return "The webhook is not signed by the processor."
  }
}

/** A processor's webhook as it came. */
export interface ReceivedNotice {
  /** The integration at whose address it came; none at the address of the installation's platform account. */
  readonly integration: Option.Option<Integration>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** Some notices of a processor, and where the next ones begin; `cursor` is kept as it is and given back. */
export interface NoticePage {
  readonly notices: ReadonlyArray<NoticeFacts>
  readonly cursor: string | null
  readonly has_more: boolean
}

/** The notices of a processor. */
export interface ProcessorNotices {
  /** Reads a notice. MUST check its signature and time before anything else, against every secret that is valid now. */
  verifyNotice(received: ReceivedNotice): Effect.Effect<NoticeFacts, NoticeRefused>
  /** The processor's events of an account since the cursor, the oldest first; the last day's where there is none. */
  noticesSince(integration: Integration, cursor: string | null): Effect.Effect<NoticePage, ProcessorFailure>
}
