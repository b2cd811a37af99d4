/** `int8` arrives as a bigint. */
export const cents = { read: (value: unknown) => (typeof value === "bigint" ? Number(value) : value) }
