/** How many times as much as usual the deep runs try: histories, crashes, stops. `ROUNDS` asks for more than once. */
export const rounds = Number(process.env["ROUNDS"] ?? 1)
