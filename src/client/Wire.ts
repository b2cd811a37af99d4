import type { Brand, DateTime } from "effect"

/**
 * A value of the domain as JSON carries it: an instant is an ISO 8601 string in UTC, an id is a plain string; names and
 * optional fields stay as they are.
 */
export type Wire<T> = unknown extends T
  ? T
  : T extends DateTime.DateTime
    ? string
    : T extends string & Brand.Brand<string>
      ? string
      : T extends number & Brand.Brand<string>
        ? number
        : T extends object
          ? { readonly [K in keyof T]: Wire<T[K]> }
          : T
