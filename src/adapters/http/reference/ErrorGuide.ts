import { type Code, codes, statusOf } from "../pipeline/ErrorEnvelope.ts"

/** The reference's explanation of a code. */
interface Explanation {
  /** The occasions on which it is answered. */
  readonly when: string
  /** The remedy for the caller. */
  readonly what_to_do: string
  readonly example: string
  /** The input that the example's message is about. */
  readonly param?: string
}

/** The ten codes explained: the reference page, docs/errors.md and the examples are made from this. service-spec, Errors. */
export const errorGuide: Readonly<Record<Code, Explanation>> = {
  invalid_request: {
    when: "The request is malformed: a required field is missing or has the wrong JSON type, a field, filter or query parameter is unknown, a number or boolean in the query cannot be read, the body is empty where one is needed, not JSON in UTF-8, not declared as `application/json` or larger than 1 MB, the request line and headers are too long, the Idempotency-Key is empty or too long, or `x-org-slug` is sent. A limit on the number of records is answered with it, too.",
    what_to_do:
      "Correct the request. The message names the field with the type that it takes and the one that was sent, the fields or filters that there are, or the line and column at which the JSON breaks off. The same request fails again.",
    example: "amount_cents must be an integer, not a string."
  },
  validation_failed: {
    when: "The request is well-formed, but a value breaks a rule: an enum value that does not exist, a number out of range, a text that is too long, a date that is not in the calendar, a reference to a record that cannot be used.",
    what_to_do:
      "Correct the input that `error.param` names: a path such as `amount_cents`, `allocations[1].amount_cents` or `created_at[gte]`. The message says what it must be: both bounds of a range, or which of several fields would do.",
    example: "amount_cents must be from 1 to 1000000000.",
    param: "amount_cents"
  },
  unauthorized: {
    when: "There is no bearer token, or the key is unknown or revoked.",
    what_to_do:
      "Send `Authorization: Bearer <API_KEY>` with a key that is in use. Keys are shown once, when they are made.",
    example: "An API key is required: Authorization: Bearer <API_KEY>. This one is missing, unknown or revoked."
  },
  forbidden: {
    when: "The key is known but may not do this: a READ key called an operation that needs WRITE, or the organisation's plan does not include the operation.",
    what_to_do: "Use a key with WRITE scope, or raise the organisation's plan. Each operation says what it needs.",
    example: "This operation needs a key with WRITE scope; this one has READ. Use another key."
  },
  not_found: {
    when: "There is no such path, or no such record in the key's organisation. A malformed id and a record of another organisation are answered in the same way.",
    what_to_do: "Check the id, and that the key belongs to the organisation (live or sandbox) that has the record.",
    example:
      "There is no such donor in this organisation. Check the id, and that the API key is the live or the sandbox organisation's that has it."
  },
  method_not_allowed: {
    when: "The path exists, but not with this verb.",
    what_to_do: "Use one of the verbs that the `Allow` header lists.",
    example: "PUT is not supported here; GET, HEAD, PATCH, DELETE are."
  },
  conflict: {
    when: "The record's state does not permit the change (it is archived, it is not in a status that takes the change, or a unique value is taken), or a request with the same Idempotency-Key is still being processed. A change that waited too long for another one of the same record, and a used key whose answer was too large to keep, are answered with it as well.",
    what_to_do:
      "Read the record and decide anew; the message says which statuses take the change, which one the record has, and what to do instead. When the message says that the key is still being processed, or to try again, wait a moment and send the same request again: nothing was written, and the key is free.",
    example:
      "An introduction can be resent only while it is PENDING or VIEWED; this one is LINKED. The account is linked already; to end that, deactivate the recipient account."
  },
  idempotency_conflict: {
    when: "The Idempotency-Key was used within 24 hours with a different body.",
    what_to_do: "Use a new key for a new request; repeat a request with exactly the bytes of its first body.",
    example: "This Idempotency-Key was used with a different body. Use a new key for a new request."
  },
  rate_limited: {
    when: "The organisation made more requests than its bucket holds. Requests without a key draw on a bucket for each client address. Too many connections, or too many bytes of unfinished request bodies, are answered with it, too.",
    what_to_do:
      "Wait for the seconds that `Retry-After` gives, then send the same request again, with the same Idempotency-Key.",
    example: "Too many requests. Try again in 1 s."
  },
  internal_error: {
    when: "Something failed on the service's side. Nothing of the request was kept, and its Idempotency-Key is free again, but for one case: when the database was lost during the commit, whether the change was made is not known, and only a repetition with the same Idempotency-Key finds out.",
    what_to_do:
      "Wait for the seconds that `Retry-After` gives, where it is there, and repeat with exponential backoff and jitter, on POST and PATCH with the same Idempotency-Key. Quote `error.request_id` when asking for help.",
    example: "Something went wrong on our side. The log of the service says what, under this request_id."
  }
}

const exampleRequestId = "req_01jqz6x8h4e5vb9m2k7ncw3t5d"

/** An error as the API answers it, for the reference. */
export const exampleError = (code: Code, apiBaseUrl: string) => {
  const { example, param } = errorGuide[code]
  const doc_url = `${apiBaseUrl}/docs#error-${code}`
  return {
    error: {
      type: doc_url,
      code,
      message: example,
      ...(param === undefined ? {} : { param }),
      request_id: exampleRequestId,
      doc_url
    }
  }
}

/** docs/errors.md. */
export const errorsMarkdown = (): string =>
  [
    "# Errors",
    "",
    "Generated by `npm run docs` from `src/adapters/http/reference/ErrorGuide.ts`.",
    "",
    "Every error is one JSON envelope. Branch on `error.code`; `error.message` is for people and may change.",
    "",
    "| Code | HTTP status |",
    "|---|---|",
    ...codes.map((code) => `| [\`${code}\`](#${code}) | ${statusOf[code]} |`),
    ...codes.flatMap((code) => [
      "",
      `## ${code}`,
      "",
      `HTTP status ${statusOf[code]}.`,
      "",
      `**When.** ${errorGuide[code].when}`,
      "",
      `**What to do.** ${errorGuide[code].what_to_do}`,
      "",
      "```json",
      JSON.stringify(exampleError(code, "https://api.example.org"), null, 2),
      "```"
    ]),
    ""
  ].join("\n")
