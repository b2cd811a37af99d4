import * as PgTypes from "@effect/sql-pg/PgTypes"

type Parse = (text: string) => unknown

/** The host's sessions write values in a form that cannot be read. The sentence holds none. */
export class SessionUnfit extends Error {
  override readonly name = "SessionUnfit"
}

const instantShape =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/** Reads an instant as sessions with `DateStyle` ISO write it, in any timezone; before 1900 offsets may have seconds. */
const instantOf = (text: string): Date => {
  const found = instantShape.exec(text)
  if (found === null) throw new SessionUnfit("an instant in a form that is not ISO: DateStyle must be ISO")
  const [, year, month, day, hour, minute, second, fraction = "", sign, ...offset] = found
  const [offsetHour = "0", offsetMinute = "0", offsetSecond = "0", era] = offset
  const at = new Date(0)
  at.setUTCFullYear(era === undefined ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day))
  at.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)))
  const offsetSeconds = Number(offsetHour) * 3_600 + Number(offsetMinute) * 60 + Number(offsetSecond)
  return new Date(at.getTime() - (sign === "-" ? -1 : 1) * offsetSeconds * 1_000)
}

const bytesOf = (text: string): Uint8Array => {
  if (!text.startsWith("\\x")) throw new SessionUnfit("bytes in a form that is not hex: bytea_output must be hex")
  return new Uint8Array(Buffer.from(text.slice(2), "hex"))
}

const arrayItem = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g

/** An array of one dimension, as PostgreSQL writes it. */
const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    [...text.slice(1, -1).matchAll(arrayItem)].map(([, quoted, bare]) => {
      if (quoted !== undefined) return parse(quoted.replaceAll(/\\(.)/g, "$1"))
      return bare === undefined || bare === "NULL" ? null : parse(bare)
    })

const asText: Parse = (text) => text

const { OID } = PgTypes

const scalars: ReadonlyArray<readonly [oid: number, parse: Parse]> = [
  [OID.bool, (text) => text === "t"],
  [OID.bytea, bytesOf],
  [OID.int2, Number],
  [OID.int4, Number],
  [OID.int8, BigInt],
  [OID.oid, Number],
  [OID.float4, Number],
  [OID.float8, Number],
  [OID.json, JSON.parse],
  [OID.jsonb, JSON.parse],
  [OID.timestamptz, instantOf]
]

const texts = [OID.text, OID.varchar, OID.bpchar, OID.name, OID.uuid, OID.date, OID.numeric].map(
  (oid) => [oid, asText] as const
)

const parsers: ReadonlyMap<number, Parse> = new Map(
  [...scalars, ...texts].flatMap(([oid, parse]): ReadonlyArray<readonly [number, Parse]> => {
    const array = PgTypes.arrayOidFor(oid)
    return array === undefined
      ? [[oid, parse]]
      : [
          [oid, parse],
          [array, arrayOf(parse)]
        ]
  })
)

/**
 * The type parsers of one query for the driver `pg`: values as the stores expect them (int8 is a bigint, a date is
 * text, bytes are a `Uint8Array`), whatever parsers the host has set for itself.
 */
export const types = {
  getTypeParser: (oid: number): Parse => parsers.get(oid) ?? asText
}

/** A parameter in the form that `pg` takes. Instants are in UTC, whatever the timezone of the process. */
export const parameterOf = (value: unknown): unknown => {
  if (PgTypes.isParameter(value)) {
    return value.oid === OID.json || value.oid === OID.jsonb ? JSON.stringify(value.value) : parameterOf(value.value)
  }
  if (value instanceof Date) return instantText(value)
  return Array.isArray(value) ? value.map(parameterOf) : value
}

/** ISO 8601, except that PostgreSQL writes years before the first with BC. */
const instantText = (at: Date): string => {
  const year = at.getUTCFullYear()
  const rest = at.toISOString().replace(/^[+-]?\d+/, "")
  return year > 0 ? `${String(year).padStart(4, "0")}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`
}
