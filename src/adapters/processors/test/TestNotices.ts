import { type DateTime, Effect, Option, Result, Schema } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { instantAt, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import * as TestNotice from "../../../domain/payments/TestNotice.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import {
  type NoticeFacts,
  type NoticePage,
  NoticeRefused,
  type ReceivedNotice
} from "../../../ports/payments/ProcessorNotices.ts"
import { TestBank } from "../../../ports/payments/TestBank.ts"

const pageSize = 100

const decodeBody = Schema.decodeUnknownOption(TestNotice.TestNoticeBody)

const factsOf = ({ account, created_at, id, object, type }: TestNotice.TestNoticeBody): NoticeFacts => ({
  event_id: id,
  type,
  object,
  account,
  created_at
})

/** The text of bytes; none where they are no UTF-8: the bank signs texts. A byte order mark is part of it, and no JSON. */
const textOf = Option.liftThrowable((bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
)

const cursorOf = ({ created_at, id }: TestNotice.TestNotice): string => `${created_at.epochMilliseconds} ${id}`

const readCursor = (cursor: string | null, now: DateTime.Utc) => {
  const [, millis, id = ""] = /^(\d{1,15}) (\S+)$/.exec(cursor ?? "") ?? []
  return millis === undefined
    ? { created_at: subtractTime(now, { days: 1 }), id: "" }
    : { created_at: instantAt(Number(millis)), id }
}

/** The notices of the test processor: signed with a MAC of the ring, for one integration each, at a time that is near. */
export const makeNotices = Effect.gen(function* () {
  const bank = yield* TestBank
  const macs = yield* Macs

  /** Every key of the ring is a secret that is valid now; all of them are tried. */
  const isSigned = Effect.fnUntraced(function* (text: string, signatures: ReadonlyArray<string>) {
    let signed = false
    for (const key_id of macs.keyIds) {
      for (const mac of signatures) if (yield* macs.verify(key_id, "test_notice", text, mac)) signed = true
    }
    return signed
  })

  /** Signature and time come first. The simulated bank has no account of the installation's own. */
  const verify = Effect.fnUntraced(function* ({ body, headers, integration }: ReceivedNotice) {
    const signature = TestNotice.readSignature(headers[TestNotice.signatureHeader], yield* organisationNow)
    const text = textOf(body)
    if (Result.isFailure(signature) || Option.isNone(integration) || Option.isNone(text))
      return yield* new NoticeRefused({})
    const { seconds, signatures } = signature.success
    if (!(yield* isSigned(TestNotice.signedText(integration.value.id, seconds, text.value), signatures))) {
      return yield* new NoticeRefused({})
    }
    const read = decodeBody(text.value)
    return Option.isNone(read) ? yield* new NoticeRefused({}) : factsOf(read.value)
  })

  const since = Effect.fnUntraced(function* (integration: Integration, cursor: string | null) {
    const found = yield* bank.noticesAfter(integration, readCursor(cursor, yield* bank.now), pageSize)
    const last = found.at(-1)
    const page: NoticePage = {
      notices: found.map((notice) => factsOf(TestNotice.bodyOf(notice))),
      cursor: last === undefined ? cursor : cursorOf(last),
      has_more: found.length === pageSize
    }
    return page
  })

  return { verify, since } as const
})
