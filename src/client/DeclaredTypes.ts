import type { Api } from "../adapters/http/Api.ts"
import type { Wire } from "./Wire.ts"

type Groups = (typeof Api)["groups"]

/** The groups of the declared API, by their identifiers. */
export type GroupName = keyof Groups & string

type Endpoints<G extends GroupName> = Groups[G]["endpoints"]

/** The operations of a group. */
export type OperationName<G extends GroupName> = keyof Endpoints<G> & string

/** The declaration of an operation's endpoint. */
export type Endpoint<G extends GroupName, N extends OperationName<G>> = Endpoints<G>[N]

type Relative<Path> = Path extends `/api/v1${infer Rest}` ? Rest : never

type Takes<E> = [Payload<E>] extends [never] ? ([Query<E>] extends [never] ? "" : " query") : " body"

/** An endpoint in a line: its method, its path relative to `/api/v1`, and whether it takes a body or a query. */
export type Line<E> = E extends { readonly method: infer Method extends string; readonly path: infer Path }
  ? `${Method} ${Relative<Path>}${Takes<E>}`
  : never

type IdsOf<Path> = Path extends `${string}/:${string}/${infer Rest}`
  ? [id: string, ...IdsOf<`/${Rest}`>]
  : Path extends `${string}/:${string}`
    ? [id: string]
    : []

/** The ids in an endpoint's path, in their order. */
export type Ids<E> = E extends { readonly path: infer Path } ? IdsOf<Path> : never

type TypeOf<S> = [S] extends [never] ? never : S extends { readonly Type: infer T } ? Wire<T> : never

/** The body that an endpoint takes; never where it takes none. */
export type Payload<E> = E extends { readonly "~Payload": infer S } ? TypeOf<S> : never

/** The query that an endpoint takes; never where it takes none. */
export type Query<E> = E extends { readonly "~Query": infer S } ? TypeOf<S> : never

/** The value of an endpoint's answer. */
export type Success<E> = E extends { readonly "~Success": infer S } ? TypeOf<S> : never
