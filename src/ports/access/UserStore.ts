import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Membership, User } from "../../domain/access/Membership.ts"
import type { OrganisationId, UserId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"

/** Keeps users and their memberships of organisations. */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** MUST fail with {@link AlreadyTaken} (`email`) when a user has the address, whatever its case. */
    insert(user: User): Effect.Effect<void, AlreadyTaken>
    find(id: UserId): Effect.Effect<Option.Option<User>>
    /** Whatever the address's case and the blanks around it. */
    findByEmail(email: string): Effect.Effect<Option.Option<User>>
    /** All of them, oldest first. For operators only. */
    readonly all: Effect.Effect<ReadonlyArray<User>>
    /** Makes a user a member. MUST give one who is a member already the role, and keep when that one became a member. */
    putMembership(membership: Membership): Effect.Effect<Membership>
    /** Ends a membership and answers it as it was; none where there was none. MUST leave the user and others' memberships. */
    removeMembership(organisation_id: OrganisationId, user_id: UserId): Effect.Effect<Option.Option<Membership>>
    findMembership(organisation_id: OrganisationId, user_id: UserId): Effect.Effect<Option.Option<Membership>>
    /** The user's memberships, oldest first. */
    memberships(user_id: UserId): Effect.Effect<ReadonlyArray<Membership>>
    /** The users who are ADMIN of the organisation, in the order of their becoming members. */
    admins(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<User>>
  }
>()("almoner/ports/UserStore") {}
