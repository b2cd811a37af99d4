import { IncomingMessage } from "node:http"
import { Predicate } from "effect"
import { Stripe } from "stripe"
import { Limits } from "../../../domain/kernel/Limits.ts"

type HttpClient = NonNullable<Stripe.StripeConfig["httpClient"]>

/** An answer that is no JSON object, or is too long to be read. */
class UnreadableAnswer extends Error {}

const textOf = async (answer: unknown): Promise<string> => {
  if (!(answer instanceof IncomingMessage)) throw new UnreadableAnswer("The answer is not one of HTTP.")
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of answer) {
    size += chunk.length
    if (size > Limits.processorAnswerBytes) throw new UnreadableAnswer("The answer is too long.")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const objectIn = async (answer: unknown): Promise<unknown> => {
  const value: unknown = JSON.parse(await textOf(answer))
  if (!Predicate.isObject(value)) throw new UnreadableAnswer("The answer is no object.")
  return value
}

/**
 * The package's own client, whose answers are read here: the package takes any JSON for an object, and what it then throws
 * ends the process, as it is thrown in a callback that nobody awaits.
 */
export const makeHttpClient = (): HttpClient => {
  const client = Stripe.createNodeHttpClient()
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request)
      const answer = response.getRawResponse()
      return {
        getStatusCode: () => response.getStatusCode(),
        getHeaders: () => response.getHeaders(),
        getRawResponse: () => answer,
        toStream: (completed) => response.toStream(completed),
        toJSON: () => objectIn(answer)
      }
    }
  }
}
