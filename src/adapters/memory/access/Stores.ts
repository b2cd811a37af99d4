import { DateTime, type Duration, Effect, HashMap, Layer, Option, Result } from "effect"
import { active } from "../../../domain/access/ApiKey.ts"
import type { EmailCode } from "../../../domain/access/EmailCode.ts"
import { type Integration, isDefault, transferAccountOf } from "../../../domain/access/Integration.ts"
import { admin, type Membership, type User, userEmailKey } from "../../../domain/access/Membership.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { ApiKeyStore } from "../../../ports/access/ApiKeyStore.ts"
import { EmailCodeStore } from "../../../ports/access/EmailCodeStore.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type Change, storeOf } from "../Memory.ts"
import { oldestFirst } from "../Order.ts"
import { makeRecords } from "../Records.ts"
import {
  add,
  aheadMillis,
  every,
  get,
  type KeptClock,
  put,
  records,
  remove,
  replace,
  type State,
  type Table,
  where
} from "../State.ts"

const withSecret = (state: State, secret_hash: string) => {
  for (const keys of HashMap.values(state.apiKeys)) {
    for (const key of HashMap.values(keys)) {
      if (key.secret_hash !== secret_hash || !Rule.holds(active, key)) continue
      return Option.map(HashMap.get(state.organisations, key.organisation_id), (organisation) => ({
        key,
        organisation
      }))
    }
  }
  return Option.none()
}

const apiKeyStore = storeOf(ApiKeyStore, (memory) => ({
  insert: (key) => memory.changeTable("apiKeys", (apiKeys) => add(apiKeys, key)),
  findActive: (secret_hash) => memory.read((state) => withSecret(state, secret_hash)),
  findForUpdate: (organisation_id, id) => memory.read((state) => get(state.apiKeys, organisation_id, id)),
  list: (organisation_id) =>
    memory.read((state) => Array.from(records(state.apiKeys, organisation_id)).sort(oldestFirst)),
  update: (key) => memory.changeTable("apiKeys", (apiKeys) => replace(apiKeys, key))
}))

/** The state with these integrations. A second default of an organisation is an error of the program. */
const withIntegrations = (state: State, integrations: Table<Integration>): State => {
  for (const organisation_id of HashMap.keys(integrations)) {
    const defaults = where(integrations, organisation_id, isDefault)
    if (defaults.length > 1) throw new Error(`The organisation ${organisation_id} has two default integrations`)
  }
  return { ...state, integrations }
}

const integrationStore = storeOf(IntegrationStore, (memory) => ({
  ...makeRecords(memory, {
    table: (state) => state.integrations,
    with: withIntegrations
  }),
  defaultAnd: (organisation_id, ids) =>
    memory.read((state) =>
      every(state.integrations)
        .filter((each) => ids.includes(each.id) || (each.organisation_id === organisation_id && isDefault(each)))
        .map(transferAccountOf)
    ),
  ofId: (id) => memory.read((state) => Option.fromNullishOr(every(state.integrations).find((each) => each.id === id))),
  ofAccount: (processor, account) =>
    memory.read((state) =>
      every(state.integrations).filter(
        (each) => each.processor === processor && each.processor_connect_account_id === account
      )
    ),
  findByPassphrase: (hashes) =>
    memory.read((state) => {
      const has = ({ passphrase_hash, passphrase_key_id }: Integration): boolean =>
        hashes.some(({ hash, key_id }) => hash === passphrase_hash && key_id === passphrase_key_id)
      for (const ofOne of HashMap.values(state.integrations)) {
        for (const integration of HashMap.values(ofOne)) if (has(integration)) return Option.some(integration)
      }
      return Option.none()
    })
}))

const bySlug = (state: State, slug: string): Option.Option<Organisation> =>
  Option.flatMap(HashMap.get(state.slugs, slug), (id) => HashMap.get(state.organisations, id))

const withOrganisation = (state: State, organisation: Organisation): State => {
  const before = HashMap.get(state.organisations, organisation.id)
  const others = Option.isSome(before) ? HashMap.remove(state.slugs, before.value.slug) : state.slugs
  return {
    ...state,
    organisations: HashMap.set(state.organisations, organisation.id, organisation),
    slugs: HashMap.set(others, organisation.slug, organisation.id)
  }
}

const organisationStore = storeOf(OrganisationStore, (memory) => {
  const find = (id: OrganisationId) => memory.read((state) => HashMap.get(state.organisations, id))
  return {
    insert: (organisation) =>
      memory.decide((state) => {
        const holder = bySlug(state, organisation.slug)
        return Option.isSome(holder)
          ? Result.fail(new AlreadyTaken({ record: "organisation", field: "slug", holder_id: holder.value.id }))
          : Result.succeed([undefined, withOrganisation(state, organisation)])
      }),
    find,
    findForUpdate: find,
    findBySlug: (slug) => memory.read((state) => bySlug(state, slug)),
    all: memory.read((state) => HashMap.toValues(state.organisations).sort(oldestFirst)),
    update: (organisation) =>
      memory.change((state) =>
        HashMap.has(state.organisations, organisation.id) ? withOrganisation(state, organisation) : state
      )
  }
})

const keptOf = (state: State, organisation_id: OrganisationId): KeptClock =>
  Option.getOrElse(HashMap.get(state.sandboxClocks, organisation_id), () => ({
    organisation_id,
    ahead_millis: 0,
    lease: null
  }))

const withKept = (state: State, kept: KeptClock): State => ({
  ...state,
  sandboxClocks: HashMap.set(state.sandboxClocks, kept.organisation_id, kept)
})

const sandboxClockStore = storeOf(SandboxClockStore, (memory) => {
  /** Writes it where it is free, or `holder`'s already. */
  const held = (
    organisation_id: OrganisationId,
    holder: string,
    {
      by_millis,
      isMine,
      lease
    }: { readonly by_millis: number; readonly isMine: boolean; readonly lease: Duration.Duration }
  ) =>
    Effect.flatMap(realNow, (now) =>
      memory.decide((state): Change<boolean, never> => {
        const kept = keptOf(state, organisation_id)
        const isHolders = kept.lease?.holder === holder
        const isFree = kept.lease === null || DateTime.isLessThanOrEqualTo(kept.lease.until, now)
        if (!(isHolders || (isFree && !isMine))) return Result.succeed([false, state])
        const until = addTime(now, lease)
        const ahead_millis = kept.ahead_millis + by_millis
        return Result.succeed([true, withKept(state, { organisation_id, ahead_millis, lease: { holder, until } })])
      })
    )
  return {
    ahead: (organisation_id) => memory.read((state) => aheadMillis(state, organisation_id)),
    moved: memory.read((state) =>
      HashMap.toValues(state.sandboxClocks)
        .filter(({ ahead_millis }) => ahead_millis > 0)
        .map(({ ahead_millis, organisation_id }) => ({ organisation_id, ahead_millis }))
        .toSorted((a, b) => compareCodePoints(a.organisation_id, b.organisation_id))
    ),
    claim: (organisation_id, holder, lease) => held(organisation_id, holder, { by_millis: 0, isMine: false, lease }),
    advance: (organisation_id, holder, by_millis, lease) =>
      held(organisation_id, holder, { by_millis, isMine: true, lease }),
    release: (organisation_id, holder) =>
      memory.change((state) => {
        const kept = keptOf(state, organisation_id)
        return kept.lease?.holder === holder ? withKept(state, { ...kept, lease: null }) : state
      })
  }
})

const byEmail = (state: State, email: string): Option.Option<User> => {
  const key = userEmailKey(email)
  return Option.fromNullishOr(HashMap.toValues(state.users).find((user) => userEmailKey(user.email) === key))
}

const membershipsOf = (state: State, user_id: string): ReadonlyArray<Membership> =>
  HashMap.toValues(state.memberships)
    .flatMap((members) => Option.toArray(HashMap.get(members, user_id)))
    .map((membership) => ({ ...membership, id: membership.organisation_id }))
    .sort(oldestFirst)
    .map(({ id: _, ...membership }) => membership)

const adminsOf = (state: State, organisation_id: string): ReadonlyArray<User> =>
  Option.toArray(HashMap.get(state.memberships, organisation_id))
    .flatMap((members) => HashMap.toValues(members))
    .filter((membership) => Rule.holds(admin, membership))
    .map((membership) => ({ ...membership, id: membership.user_id }))
    .sort(oldestFirst)
    .flatMap(({ user_id }) => Option.toArray(HashMap.get(state.users, user_id)))

const userStore = storeOf(UserStore, (memory) => ({
  insert: (user) =>
    memory.decide((state) => {
      const holder = byEmail(state, user.email)
      return Option.isSome(holder)
        ? Result.fail(new AlreadyTaken({ record: "user", field: "email", holder_id: holder.value.id }))
        : Result.succeed([undefined, { ...state, users: HashMap.set(state.users, user.id, user) }])
    }),
  find: (id) => memory.read((state) => HashMap.get(state.users, id)),
  findByEmail: (email) => memory.read((state) => byEmail(state, email)),
  all: memory.read((state) => HashMap.toValues(state.users).sort(oldestFirst)),
  putMembership: (membership) =>
    memory.decide((state) => {
      const { organisation_id, user_id } = membership
      const known = get(state.memberships, organisation_id, user_id)
      const kept = Option.match(known, {
        onNone: () => membership,
        onSome: ({ created_at }) => ({ ...membership, created_at })
      })
      return Result.succeed([kept, { ...state, memberships: put(state.memberships, organisation_id, user_id, kept) }])
    }),
  removeMembership: (organisation_id, user_id) =>
    memory.decide((state) =>
      Result.succeed([
        get(state.memberships, organisation_id, user_id),
        { ...state, memberships: remove(state.memberships, organisation_id, user_id) }
      ])
    ),
  findMembership: (organisation_id, user_id) =>
    memory.read((state) => get(state.memberships, organisation_id, user_id)),
  memberships: (user_id) => memory.read((state) => membershipsOf(state, user_id)),
  admins: (organisation_id) => memory.read((state) => adminsOf(state, organisation_id))
}))

const emailCodeStore = storeOf(EmailCodeStore, (memory) => {
  const madeAfter = (state: State, since: DateTime.Utc, holds: (code: EmailCode) => boolean) =>
    every(state.emailCodes).filter((code) => holds(code) && DateTime.isGreaterThan(code.created_at, since))
  return {
    add: (code, since) =>
      memory.decide((state) => {
        const ofAddress = madeAfter(state, since, ({ email_key }) => email_key === code.email_key)
        const ofOrganisation = madeAfter(
          state,
          since,
          ({ organisation_id }) => organisation_id === code.organisation_id
        )
        const hasRoom =
          ofAddress.length < Limits.emailCodesPerAddress && ofOrganisation.length < Limits.emailCodesPerOrganisation
        return Result.succeed([hasRoom, hasRoom ? { ...state, emailCodes: add(state.emailCodes, code) } : state])
      }),
    find: (organisation_id, id) => memory.read((state) => get(state.emailCodes, organisation_id, id)),
    attempt: ({ email_key, organisation_id, subject }, since) =>
      memory.decide((state) => {
        const isMeant = (code: EmailCode) =>
          code.organisation_id === organisation_id && code.email_key === email_key && code.subject === subject
        const tried = madeAfter(state, since, (code) => isMeant(code) && code.tries < Limits.emailCodeTries).map(
          (code) => ({ ...code, tries: code.tries + 1 })
        )
        const emailCodes = tried.reduce((table, code) => replace(table, code), state.emailCodes)
        return Result.succeed([tried, { ...state, emailCodes }])
      }),
    trim: (before, limit) =>
      memory.decide((state) => {
        const old = every(state.emailCodes)
          .filter(({ created_at }) => DateTime.isLessThanOrEqualTo(created_at, before))
          .toSorted(oldestFirst)
          .slice(0, limit)
        const emailCodes = old.reduce(
          (table, { id, organisation_id }) => remove(table, organisation_id, id),
          state.emailCodes
        )
        return Result.succeed([old.length, { ...state, emailCodes }])
      })
  }
})

export const layer = Layer.mergeAll(
  apiKeyStore,
  emailCodeStore,
  integrationStore,
  organisationStore,
  sandboxClockStore,
  userStore
)
