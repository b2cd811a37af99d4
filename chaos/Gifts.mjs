/** Callers who record gifts at a steady rate and do not give up. */
import { randomUUID } from "node:crypto"
import { Agent, request } from "undici"
import { seconds } from "../harness/Program.mjs"
import { gift, giftEvents } from "../harness/Requests.mjs"

const retryMillis = 500
const answerMillis = 6_000

/** Gifts that wait for their answer at most; beyond that no new ones are sent, as callers have an end. */
const outstandingMost = 300

class GiftRefused extends Error {
  constructor(status, text) {
    super(`POST /donations: ${status} ${text}`)
  }
}

/** One gift, repeated under its key at the next process until it is answered; undefined when stopped before. */
async function record({ agent, baseUrls, tenant, turn }, counts, isOver) {
  const key = randomUUID()
  const body = JSON.stringify(gift(tenant.donorIds[turn % tenant.donorIds.length]))
  for (let attempt = 0; ; attempt++) {
    const baseUrl = baseUrls[(turn + attempt) % baseUrls.length]
    try {
      const answer = await request(`${baseUrl}/api/v1/donations`, {
        dispatcher: agent,
        method: "POST",
        headers: { ...tenant.headers, "idempotency-key": key },
        body,
        headersTimeout: answerMillis,
        bodyTimeout: answerMillis
      })
      const text = await answer.body.text()
      if (answer.statusCode === 201) return JSON.parse(text).id
      if (answer.statusCode === 429) counts.refused++
      else if (answer.statusCode < 500 && answer.statusCode !== 409) throw new GiftRefused(answer.statusCode, text)
      else counts.failed++
    } catch (error) {
      if (error instanceof GiftRefused) throw error
      counts.failed++
    }
    if (isOver()) return undefined
    await seconds(retryMillis / 1_000)
  }
}

const makeCounts = () => ({ answered: 0, unanswered: 0, refused: 0, failed: 0 })

/** Records one gift and notes it in the ledger once it is answered. */
async function give(options, counts, isOver) {
  const { ledger, tenant } = options
  // One that is subscribed while the request is under way may get the events or not.
  const endpoints = [...tenant.endpoints]
  const id = await record(options, counts, isOver)
  if (id === undefined) {
    counts.unanswered++
    return
  }
  counts.answered++
  ledger.committed({ at: performance.now(), endpoints, subject: id, types: giftEvents })
}

/** Records so many gifts, twenty at a time; it is an error when that takes two minutes. */
export async function giveAtOnce({ baseUrls, count, ledger, tenant }) {
  const agent = new Agent({ connections: 20 })
  const counts = makeCounts()
  const until = performance.now() + 120_000
  let turn = 0
  const caller = async () => {
    while (turn < count) {
      await give({ agent, baseUrls, ledger, tenant, turn: turn++ }, counts, () => performance.now() > until)
    }
  }
  await Promise.all(Array.from({ length: 20 }, caller))
  await agent.destroy()
  if (counts.unanswered > 0) throw new Error(`${counts.unanswered} of ${count} gifts were not answered`)
}

/**
 * Records gifts of a tenant until `stop()`, which waits up to `patienceSeconds` for the last answers and gives
 * `{ answered, unanswered, refused, failed }`: gifts with and without an answer, attempts answered 429, attempts that
 * came to nothing.
 */
export function startGifts({ baseUrls, ledger, perSecond, tenant }) {
  const agent = new Agent({ connections: 100, connectTimeout: 3_000 })
  const counts = makeCounts()
  const outstanding = new Set()
  let giveUpAt = Number.POSITIVE_INFINITY
  let turn = 0
  let problem
  const isOver = () => performance.now() > giveUpAt

  const start = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * perSecond
    for (; sent < due; sent++) {
      if (outstanding.size >= outstandingMost) continue
      const sending = give({ agent, baseUrls, ledger, tenant, turn: turn++ }, counts, isOver)
        .catch((error) => {
          problem = error
        })
        .finally(() => outstanding.delete(sending))
      outstanding.add(sending)
    }
  }, 10)

  return {
    counts,
    async stop(patienceSeconds = 10) {
      clearInterval(timer)
      giveUpAt = performance.now() + patienceSeconds * 1_000
      await Promise.all(outstanding)
      await agent.destroy()
      if (problem !== undefined) throw problem
      return counts
    }
  }
}
