import { randomUUID } from "node:crypto"
import { Effect, Option, Result, Schema } from "effect"
import { Checkouts } from "../../app/sharing/Checkouts.ts"
import { PaymentMethod } from "../../domain/kernel/PaymentMethod.ts"
import { maskedEmail } from "../../domain/kernel/Text.ts"
import { pagePath } from "../../domain/payments/ProgressToken.ts"
import type * as Checkout from "../../domain/sharing/Checkout.ts"
import { pageNameIn } from "../../domain/sharing/PageName.ts"
import type { EdgeResponse } from "../http/pipeline/Handler.ts"
import { embeddedForm, progressQuery } from "./EmbedFrame.ts"
import { type Fault, type FieldValues, fieldNames, readGift, typedFrom } from "./GiftFields.ts"
import { isTransfer } from "./GiftMethods.ts"
import { type GiftAddress, isSamePage, targetOf } from "./GiftTarget.ts"
import { asciiDigits } from "./MoneyText.ts"
import { type AskedPage, forSearch, goTo, isForeign, isVisit, pageAnswer, pathOf, readForm } from "./PageAnswer.ts"
import { headersFor } from "./PagePolicy.ts"
import { type ChosenPages, PageSettings } from "./PageSettings.ts"
import { type Gift, makePageTokens, newState, now, type PageState, submissionOf } from "./PageToken.ts"
import { makeSharedReads } from "./SharedReads.ts"
import { giftPage } from "./views/GiftPage.tsx"
import { type CodeStep, payPage } from "./views/PayPage.tsx"
import { declineText } from "./views/ProgressPage.tsx"
import { closedPage, statePage } from "./views/StatePage.tsx"

/** The page that asks for what a checkout link knows already is its second one. */
const giftOfLink = ({ currency, link }: Checkout.Page): Gift | null =>
  link === null
    ? null
    : { amount_cents: link.amount_cents, currency, frequency: null, allocations: null, donor: null, consent: [] }

const isMethod = Schema.is(PaymentMethod)

/** What is shown over a page again, and why. */
interface Again {
  readonly faults?: ReadonlyArray<Fault>
  readonly fault?: string
  readonly notice?: string
  readonly typed?: FieldValues
}

interface Services {
  readonly checkouts: Checkouts["Service"]
  /** The content of a page, which those who open it at the same moment share. */
  readonly contentOf: (target: Checkout.Target) => ReturnType<Checkouts["Service"]["open"]>
  readonly tokens: Effect.Success<typeof makePageTokens>
  readonly stripeSources: ChosenPages["stripeSources"]
}

/** A page that tells nothing. */
const notFound = (asked: AskedPage): EdgeResponse => {
  const { texts } = asked
  return pageAnswer(asked, 404, statePage({ texts, from: null, title: texts.notFound, says: texts.notFoundSays }))
}

/** Whether a page is one that search engines may show: a form that takes real gifts, as everybody comes to it. */
const isForAll = ({ address, exchange: { request } }: AskedPage, { organisation }: Checkout.Page): boolean =>
  address.kind === "f" &&
  request.method !== "POST" &&
  !organisation.is_sandbox &&
  !new URLSearchParams(request.query).has("dt")

/** A gift with who gives it: of one that is taken up again its payment knows that, for as long as its page can be opened. */
const withDonor = Effect.fnUntraced(function* ({ checkouts }: Services, { resumes }: PageState, gift: Gift) {
  const resumed = resumes === undefined ? Option.none() : yield* Effect.option(checkouts.resume(resumes))
  return Option.match(resumed, { onNone: () => gift, onSome: ({ donor }) => ({ ...gift, donor }) })
})

/** How far a donor is with the code that opens cards, where they are closed; null where none is asked for. */
const codeStepOf = (page: Checkout.Page, state: PageState, gift: Gift, millis: number): CodeStep => {
  const { code_for, pass } = state
  const email = gift.donor?.email
  if (typeof email !== "string") return null
  const submission = submissionOf(state, gift)
  if (pass?.for === submission && pass.until > millis) return { kind: "open" }
  const shown = state.resumes === undefined ? email : maskedEmail(email)
  return page.card_codes ? { kind: code_for === submission ? "sent" : "offered", email: shown } : null
}

/**
 * The screen that comes next for a page in a state. What answers a form is kept by the browser alone, so that going back shows
 * it again.
 */
const screen = Effect.fnUntraced(function* (
  services: Services,
  asked: AskedPage,
  page: Checkout.Page,
  state: PageState,
  again: Again = {}
) {
  const { stripeSources, tokens } = services
  const { texts } = asked
  const { fault = null, faults = [], notice = null, typed = null } = again
  const token = yield* tokens.write(state)
  const path = pathOf(asked)
  const kept = asked.exchange.request.method === "POST" ? { "cache-control": "private, no-cache" } : {}
  if (state.gift === null) {
    return pageAnswer(asked, 200, giftPage({ page, texts, token, path, typed, faults, notice }), {
      ...kept,
      ...headersFor(asked, page.organisation, null),
      ...(isForAll(asked, page) ? forSearch : {})
    })
  }
  const code = page.cards_closed
    ? codeStepOf(page, state, yield* withDonor(services, state, state.gift), yield* now)
    : null
  const shown = { page, gift: state.gift, texts, token, path, fault, faults, notice, code }
  return pageAnswer(asked, 200, payPage(shown), {
    ...kept,
    ...headersFor(asked, page.organisation, page.processor === "stripe" ? stripeSources : null)
  })
})

/** The processors whose fields these pages have. */
const known: ReadonlyArray<string | null> = ["test", "stripe"]

/** A page with the methods that can be paid by here: a processor of the host's own that needs a token has no field on it. */
const shownHere = (page: Checkout.Page) => {
  if (page.closed !== null || !page.takes_token || known.includes(page.processor)) return { page, closed: page.closed }
  const methods = page.methods.filter(isTransfer)
  const method_bounds = page.method_bounds.filter(({ method }) => isTransfer(method))
  // What repeats is not transferred.
  const shown: Checkout.Page = { ...page, methods, method_bounds, frequencies: [], default_cadence: "ONE_TIME" }
  return { page: shown, closed: methods.length === 0 ? ("no_processor" as const) : null }
}

/** A page as it is now; an answer instead where it takes no gift, or there is none. */
const openPage = Effect.fnUntraced(function* ({ contentOf }: Services, asked: AskedPage, target: Checkout.Target) {
  const opened = yield* Effect.option(contentOf(target))
  if (Option.isNone(opened) || opened.value.closed === "draft") return Result.fail(notFound(asked))
  const { closed, page } = shownHere(opened.value)
  const { organisation } = page
  return closed === null
    ? Result.succeed(page)
    : Result.fail(
        pageAnswer(asked, 200, closedPage(asked.texts, organisation, closed), headersFor(asked, organisation, null))
      )
})

/** A page from its beginning. */
const begin = Effect.fnUntraced(function* (
  services: Services,
  asked: AskedPage,
  target: Checkout.Target,
  again: Again = {}
) {
  const page = yield* openPage(services, asked, target)
  if (Result.isFailure(page)) return page.failure
  const state = { ...(yield* newState(target)), gift: giftOfLink(page.success) }
  return yield* screen(services, asked, page.success, state, again)
})

const look = Effect.fnUntraced(function* (services: Services, asked: AskedPage, address: GiftAddress) {
  const { request } = asked.exchange
  const target = targetOf(address, request.query)
  const shown = yield* begin(services, asked, target)
  // Only checkout links count their visits: of any other page nothing is asked a second time.
  if (address.kind === "c" && isVisit(request)) yield* Effect.ignore(services.checkouts.visit(target))
  return shown
})

/** A state whose gift is of whoever types. */
const typedAnew = ({ resumes: _, ...state }: PageState): PageState => state

/** The first screen was sent: what was typed is read, and the second one shown. */
const who = Effect.fnUntraced(function* (services: Services, asked: AskedPage, state: PageState, typed: FieldValues) {
  const page = yield* openPage(services, asked, state.target)
  if (Result.isFailure(page)) return page.failure
  const read = readGift(page.success, typed, asked.texts)
  if ("faults" in read)
    return yield* screen(services, asked, page.success, { ...state, gift: null }, { ...read, typed })
  return yield* screen(services, asked, page.success, { ...typedAnew(state), gift: read.gift })
})

/** Back to the first screen, with what was typed there. */
const change = Effect.fnUntraced(function* (services: Services, asked: AskedPage, state: PageState, again: Again = {}) {
  const page = yield* openPage(services, asked, state.target)
  if (Result.isFailure(page)) return page.failure
  const { gift } = state
  if (gift === null || page.success.link !== null) {
    return yield* screen(services, asked, page.success, { ...state, gift: giftOfLink(page.success) }, again)
  }
  return yield* screen(
    services,
    asked,
    page.success,
    { ...typedAnew(state), gift: null },
    { ...again, typed: typedFrom(page.success, gift) }
  )
})

/** The second screen again; the first one where the page does not take gifts that often any more. */
const repay = Effect.fnUntraced(function* (services: Services, asked: AskedPage, state: PageState, again: Again) {
  const page = yield* openPage(services, asked, state.target)
  if (Result.isFailure(page)) return page.failure
  const { frequency = null } = state.gift ?? {}
  if (frequency === null || page.success.frequencies.includes(frequency))
    return yield* screen(services, asked, page.success, state, again)
  const faults = again.fault === undefined ? [] : [{ field: "", text: again.fault }]
  return yield* change(services, asked, { ...state, retries: null }, { faults, notice: asked.texts.pageChanged })
})

/** The gift that a code is for, and where it is mailed. */
interface Coded {
  readonly email: string
  readonly submission_id: string
}

/** A code is asked for; where none opens cards any more, the screen shows that. */
const requestCode = Effect.fnUntraced(function* (
  services: Services,
  asked: AskedPage,
  state: PageState,
  { email, submission_id }: Coded
) {
  const request = { ...state.target, submission_id, email, language: asked.texts.lang }
  const requested = yield* Effect.result(services.checkouts.requestCode(request))
  return yield* repay(services, asked, Result.isSuccess(requested) ? { ...state, code_for: submission_id } : state, {})
})

/** A code was entered, in whichever digits and however they are grouped. */
const enterCode = Effect.fnUntraced(function* (
  services: Services,
  asked: AskedPage,
  state: PageState,
  { email, submission_id }: Coded,
  typed: FieldValues
) {
  const email_code = asciiDigits(typed.get(fieldNames.code) ?? "")
    .replaceAll(/[^\d]/gu, "")
    .slice(0, 6)
  const entered = { ...state.target, submission_id, email, email_code }
  const opened = yield* Effect.result(services.checkouts.openCards(entered))
  if (Result.isFailure(opened)) {
    const isWrong = opened.failure._tag === "InvalidInput"
    const faults = isWrong ? [{ field: fieldNames.code, text: asked.texts.wrongCode }] : []
    return yield* repay(services, asked, { ...state, code_for: submission_id }, { faults })
  }
  const { card_pass, expires_at } = opened.success
  return yield* repay(
    services,
    asked,
    { ...state, pass: { card_pass, for: submission_id, until: expires_at.epochMilliseconds } },
    {}
  )
})

/** A submission that was not taken, by what refused it. */
const refused = (
  services: Services,
  asked: AskedPage,
  state: PageState,
  failure: Effect.Error<ReturnType<Services["checkouts"]["submit"]>>
): Effect.Effect<EdgeResponse> => {
  const { texts } = asked
  switch (failure._tag) {
    case "GuardRefused":
      return repay(services, asked, state, { fault: texts.busy })
    case "InvalidInput":
      // The recurring gift that was tried before: it was paid in another tab, or its time has run out.
      if (failure.param === "retries")
        return change(services, asked, { ...state, retries: null }, { notice: texts.retriesOver })
      if (failure.reason === "over_cap") {
        return change(services, asked, state, { faults: [{ field: "", text: texts.overCap }] })
      }
      return failure.param === "payment_token" || failure.param === "method"
        ? repay(services, asked, state, { fault: texts.chooseMeans })
        : change(services, asked, state, { notice: texts.pageChanged })
    default:
      return change(services, asked, state)
  }
}

/** The second screen was sent: the gift is submitted. */
const pay = Effect.fnUntraced(function* (
  services: Services,
  asked: AskedPage,
  state: PageState,
  gift: Gift,
  typed: FieldValues
) {
  const { address, exchange, texts } = asked
  const method = typed.get("method")
  if (!isMethod(method)) return yield* repay(services, asked, state, { fault: texts.chooseMeans })
  const submission: Checkout.Submission = {
    ...state.target,
    submission_id: submissionOf(state, gift),
    retries: state.retries ?? null,
    ...gift,
    method,
    payment_token: typed.get(`payment_token.${method}`) ?? typed.get("payment_token") ?? null,
    card_pass: state.pass?.card_pass ?? null,
    language: texts.lang,
    request_id: exchange.request_id
  }
  const submitted = yield* Effect.result(services.checkouts.submit(submission))
  if (Result.isFailure(submitted)) return yield* refused(services, asked, state, submitted.failure)
  const { failure_code, progress_token, status } = submitted.success
  if (status !== "FAILED" && failure_code === null)
    return goTo(asked, `${address.base}${pagePath(progress_token)}${progressQuery(asked)}`)
  // The gift that failed has the id, and the code was for it: another try is another one, of the same recurring gift where it is one.
  const { code_for: _, pass: __, ...kept } = state
  const anew = {
    ...kept,
    submission_id: randomUUID(),
    retries: submitted.success.subscription_id === null ? null : progress_token
  }
  return yield* repay(services, asked, anew, { fault: declineText(texts, failure_code) })
})

/** A payment that failed is taken up again: on the second screen of its page, with all but the means of payment. */
const resume = Effect.fnUntraced(function* (services: Services, asked: AskedPage) {
  const { address } = asked
  const resumed = yield* Effect.option(services.checkouts.resume(address.name))
  if (Option.isNone(resumed) || resumed.value.organisation !== address.slug) {
    return goTo(asked, pathOf(asked))
  }
  const { campaign, code, dt, organisation, path, retries, slug, url_key, ...gift } = resumed.value
  const embed_token = slug === null ? null : embeddedForm(asked)
  const back = embed_token === null ? path : `/embed/${encodeURIComponent(embed_token)}`
  const there = { ...asked, path: `${address.base}${back}` }
  const page = pageNameIn(embed_token === null ? { slug, code, url_key } : { embed_token })
  if (Option.isNone(page)) return notFound(there)
  const target = { organisation, dt, campaign, ...page.value }
  const state = { ...(yield* newState(target)), retries, gift: { ...gift, donor: null }, resumes: address.name }
  // The donor's own link has run out or was revoked meanwhile: who gives is asked, as on any plain page.
  const isUnknown = dt === null && code === null && gift.donor === null
  return isUnknown ? yield* change(services, there, state) : yield* repay(services, there, state, {})
})

const post = Effect.fnUntraced(function* (services: Services, asked: AskedPage, address: GiftAddress) {
  const { exchange, texts } = asked
  if (isForeign(exchange.request)) {
    return pageAnswer(asked, 403, statePage({ texts, from: null, title: texts.foreign, says: texts.foreignSays }))
  }
  const typed = yield* readForm(asked)
  if (typed === undefined) {
    const page = statePage({ texts, from: null, title: texts.notRead, says: texts.notReadSays })
    return { ...pageAnswer(asked, 400, page), close: true }
  }
  const target = targetOf(address, exchange.request.query)
  const shown = yield* services.tokens.read(typed.get("token") ?? "")
  if (Option.isNone(shown) || !isSamePage(shown.value.state.target, target)) {
    return yield* begin(services, asked, target, { typed, notice: texts.pageOld })
  }
  const { isOld, state } = shown.value
  const fresh = isOld ? { ...state, made_at: (yield* newState(target)).made_at } : state
  // Another amount or rhythm is another recurring gift, and no further try of the one that was declined.
  if (typed.get("step") === "change") return yield* change(services, asked, { ...fresh, retries: null })
  if (typed.get("step") === "who" || fresh.gift === null) return yield* who(services, asked, fresh, typed)
  const gift = yield* withDonor(services, fresh, fresh.gift)
  const email = gift.donor?.email
  if (typeof email === "string") {
    const coded = { email, submission_id: submissionOf(fresh, gift) }
    if (typed.get("step") === "code") return yield* requestCode(services, asked, fresh, coded)
    if (typed.get("step") === "open") return yield* enterCode(services, asked, fresh, coded, typed)
  }
  return isOld
    ? yield* repay(services, asked, fresh, { notice: texts.pageOld })
    : yield* pay(services, asked, fresh, gift, typed)
})

/** The pages of a form, a set and a link: from a look at them to a gift. */
export const makeGiftFlow = Effect.gen(function* () {
  const checkouts = yield* Checkouts
  const shared = makeSharedReads<
    Effect.Success<ReturnType<Services["contentOf"]>>,
    Effect.Error<ReturnType<Services["contentOf"]>>
  >()
  const services: Services = {
    checkouts,
    contentOf: (target) => shared(JSON.stringify(target), checkouts.open(target)),
    tokens: yield* makePageTokens,
    stripeSources: (yield* PageSettings).stripeSources
  }
  return {
    look: (asked: AskedPage, address: GiftAddress) => look(services, asked, address),
    post: (asked: AskedPage, address: GiftAddress) => post(services, asked, address),
    resume: (asked: AskedPage) => resume(services, asked)
  } as const
})
