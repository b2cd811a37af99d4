/**
 * What the law asks of a recipient, told anew from everything that happened up to now, by whole days and `Intl` alone. It shares
 * no code with the product.
 */

/** A gift of a donor, in cents, with what went back of it by refunds and disputes. */
export interface OracleGift {
  readonly id: string
  readonly donor: string
  readonly day: string
  readonly at: number
  readonly cents: number
  readonly back: number
  readonly counts: boolean
}

export interface OracleElection {
  readonly writ: string
  readonly polling: string
}

/** An open duty: its kind and gift, and when it is due. */
export type OracleDuties = ReadonlyMap<string, number>

const dayMillis = 86_400_000

const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMillis).toISOString().slice(0, 10)

const formats = new Map<string, Intl.DateTimeFormat>()

export const localDay = (at: number, zone: string): string => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" })
  formats.set(zone, format)
  return format.format(at)
}

const ends = new Map<string, number>()

/** The last millisecond of a day in a zone, found by halves. */
const endOf = (day: string, zone: string): number => {
  const known = ends.get(`${day} ${zone}`)
  if (known !== undefined) return known
  let inside = Date.parse(`${day}T12:00:00Z`)
  while (localDay(inside, zone) > day) inside -= 3_600_000
  while (localDay(inside, zone) < day) inside += 3_600_000
  let outside = inside + 2 * dayMillis
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2)
    if (localDay(middle, zone) <= day) inside = middle
    else outside = middle
  }
  ends.set(`${day} ${zone}`, inside)
  return inside
}

/** The end of a day, where it comes first. */
const lastMoment = (day: string, zone: string): number => Math.min(endOf(day, zone), endOf(day, "Australia/Sydney"))

const twentyFirstOfNext = (day: string): string => {
  const [year = 0, month = 0] = day.split("-").map(Number)
  return `${month === 12 ? year + 1 : year}-${String((month % 12) + 1).padStart(2, "0")}-21`
}

const noticeDue = (day: string, at: number, zone: string, elections: ReadonlyArray<OracleElection>): number => {
  let due = lastMoment(twentyFirstOfNext(day), zone)
  for (const { polling, writ } of elections) {
    if (day < writ || day > plusDays(polling, 7)) continue
    let saturday = plusDays(polling, -1)
    while (new Date(`${saturday}T00:00:00Z`).getUTCDay() !== 6) saturday = plusDays(saturday, -1)
    due = Math.min(due, day >= saturday ? at + dayMillis : lastMoment(plusDays(day, 7), zone))
  }
  return due
}

/** The first day on whose evening the sum is over a line. */
const dayOver = (gifts: ReadonlyArray<OracleGift>, line: number): string | undefined => {
  const days = [...new Set(gifts.map(({ day }) => day))].toSorted()
  return days.find(
    (evening) =>
      gifts.filter(({ day }) => day <= evening).reduce((sum, { back, cents }) => sum + cents - back, 0) > line
  )
}

const telling = ({ back, cents, day, donor }: OracleGift): string => `${donor} ${day} ${cents - back}`

/** A donor's year at one recipient: what is told to it, and the duties that are open after each. */
export class DutyOracle {
  private open = new Map<string, number>()
  private readonly opened = new Map<string, number>()
  private acted = new Set<string>()
  private told = new Map<string, string>()
  private readonly lines: { readonly threshold: number; readonly cap: number }
  private readonly zone: string

  constructor(lines: { readonly threshold: number; readonly cap: number }, zone: string) {
    this.lines = lines
    this.zone = zone
  }

  private asked(gifts: ReadonlyArray<OracleGift>, elections: ReadonlyArray<OracleElection>, now: number) {
    const wanted = new Map<string, number>()
    const counted = gifts.filter(({ counts }) => counts)
    const crossing = dayOver(counted, this.lines.threshold)
    const over = dayOver(counted, this.lines.cap)
    const amended = noticeDue(localDay(now, this.zone), now, this.zone, elections)
    for (const { at, day, id } of counted) {
      const isAfter = crossing !== undefined && day >= crossing
      if (isAfter && !this.told.has(id)) wanted.set(`NOTICE ${id}`, noticeDue(day, at, this.zone, elections))
      if (over !== undefined && day >= over && !this.acted.has(id)) {
        wanted.set(`ACTION ${id}`, lastMoment(plusDays(day, 42), this.zone))
      }
      const isUntold = crossing !== undefined && !isAfter && this.told.size > 0 && !this.told.has(id)
      if (isUntold) wanted.set(`AMENDMENT ${id}`, amended)
    }
    for (const [id, said] of this.told) {
      const gift = counted.find((each) => each.id === id)
      if (gift === undefined || telling(gift) !== said) wanted.set(`AMENDMENT ${id}`, amended)
    }
    return wanted
  }

  /** The duties that are open once these are the gifts and elections. */
  look(gifts: ReadonlyArray<OracleGift>, elections: ReadonlyArray<OracleElection>, now: number): OracleDuties {
    const wanted = this.asked(gifts, elections, now)
    const before = this.open
    this.open = new Map(
      [...wanted].map(([key, due]) => {
        const known = before.get(key)
        if (known === undefined) return [key, due]
        const anew = this.opened.get(key)
        if (!key.startsWith("AMENDMENT") || anew === undefined) return [key, Math.min(known, due)]
        return [key, Math.min(known, noticeDue(localDay(anew, this.zone), anew, this.zone, elections))]
      })
    )
    for (const key of this.opened.keys()) if (!this.open.has(key)) this.opened.delete(key)
    for (const key of this.open.keys()) if (!this.opened.has(key)) this.opened.set(key, now)
    return this.open
  }

  /** Everything that can be lodged was. */
  lodge(gifts: ReadonlyArray<OracleGift>): void {
    for (const key of this.open.keys()) {
      if (key.startsWith("ACTION")) continue
      this.open.delete(key)
      this.opened.delete(key)
    }
    const counted = gifts.filter(({ counts }) => counts)
    this.told = new Map(counted.map((gift) => [gift.id, telling(gift)]))
  }

  /** Another donor turned out to be this one: what was told of theirs, done about it, and left to do by a day, is this one's. */
  takeOver(other: DutyOracle): void {
    for (const [id, said] of other.told) this.told.set(id, said)
    for (const [key, due] of other.open) this.open.set(key, due)
    for (const [key, at] of other.opened) this.opened.set(key, at)
    this.acted = new Set([...this.acted, ...other.acted])
  }

  /** Staff acted on the gift. */
  act(id: string): void {
    this.open.delete(`ACTION ${id}`)
    this.acted.add(id)
  }
}
