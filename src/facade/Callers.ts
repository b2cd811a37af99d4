import { Effect, Option, Predicate, Result, Schema } from "effect"
import { Authentication, callerOf } from "../app/access/Authentication.ts"
import { hostReader } from "../app/access/operation/ServiceChecks.ts"
import { decoder } from "../app/kernel/decoding/Decoder.ts"
import { isWellFormed, Scope } from "../domain/access/ApiKey.ts"
import { type Caller, RequestId } from "../domain/access/Caller.ts"
import { OrganisationId } from "../domain/kernel/Ids.ts"
import { InvalidInput, type MalformedInput, NotFound } from "../domain/kernel/Rejection.ts"
import { GivenId } from "../domain/kernel/Text.ts"
import { ApiKeyStore } from "../ports/access/ApiKeyStore.ts"
import { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import { Tokens } from "../ports/kernel/Tokens.ts"

/** A user of the host, described so that Almoner can make a caller of it. */
export interface HostUser {
  /** The id or the slug of the organisation that the user acts for. */
  readonly organisation: string
  /** The host's own id of the user, as the audit records it: 1 to 255 characters. */
  readonly user: string
  readonly scope: Scope
  /** The host's id of the request, as the audit records it, 1 to 255 characters; a new one is made when absent. */
  readonly request_id?: string | undefined
}

const User = Schema.Struct({
  organisation: GivenId,
  user: GivenId,
  scope: Scope,
  request_id: Schema.optionalKey(RequestId)
})

const readUser = hostReader(decoder(Schema.toType(User)))

const isOrganisationId = Schema.is(OrganisationId)

const requestIdOf = (given: string | undefined) =>
  given === undefined ? Effect.flatMap(Tokens, (tokens) => tokens.id("request")) : Effect.succeed(given)

/**
 * The caller for a user of the host. Fails with {@link InvalidInput} or {@link MalformedInput} for a field that is none,
 * and with {@link NotFound} for an organisation that there is not.
 */
export const findCaller = Effect.fnUntraced(function* (given: HostUser) {
  const { organisation, request_id, scope, user } = yield* Effect.fromResult(readUser(given))
  const store = yield* OrganisationStore
  const found = yield* isOrganisationId(organisation) ? store.find(organisation) : store.findBySlug(organisation)
  if (Option.isNone(found)) return yield* new NotFound({ record: "organisation", id: organisation })
  const caller: Caller = {
    organisation: found.value,
    actor: { type: "USER", id: user },
    scope,
    request_id: yield* requestIdOf(request_id)
  }
  return caller
})

const isRequestId = Schema.is(RequestId)

/** Refuses an id of a request that the audit could not record. */
const readRequestId = (given: string | undefined): Result.Result<string | undefined, InvalidInput> =>
  given === undefined || isRequestId(given)
    ? Result.succeed(given)
    : Result.fail(
        new InvalidInput({
          param: "request_id",
          message: "request_id must be text of 1 to 255 characters without U+0000 and without unpaired surrogates."
        })
      )

/** The caller of an API key; undefined when the text is no key, or the key is unknown or revoked. */
export const authenticate = Effect.fnUntraced(function* (apiKey: string, given: string | undefined) {
  const request_id = yield* Effect.fromResult(readRequestId(given))
  if (!Predicate.isString(apiKey)) return undefined
  const authenticated = yield* Authentication.use((authentication) => authentication.authenticate(apiKey))
  return authenticated === undefined ? undefined : callerOf(authenticated, yield* requestIdOf(request_id))
})

/**
 * The same within a transaction of the host. What it finds is not remembered: the transaction may still be rolled back,
 * and nobody else may use a key that was made in it.
 */
export const authenticateWithin = Effect.fnUntraced(function* (apiKey: string, given: string | undefined) {
  const request_id = yield* Effect.fromResult(readRequestId(given))
  if (!Predicate.isString(apiKey) || !isWellFormed(apiKey)) return undefined
  const hash = yield* (yield* Tokens).digest(apiKey)
  const found = yield* (yield* ApiKeyStore).findActive(hash)
  return Option.isNone(found) ? undefined : callerOf(found.value, yield* requestIdOf(request_id))
})
