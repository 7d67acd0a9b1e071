/** The binary ids of Active Directory, as people write them. */

/** [MS-DTYP] §2.4.2.2: revision, number of parts, authority (big-endian), parts (little-endian). */
export function sidText(sid: Buffer): string | undefined {
  const count = sid[1] ?? 0
  if (sid.length < 8 || count > 15 || sid.length !== 8 + count * 4) return undefined
  const parts = Array.from({ length: count }, (_, index) => sid.readUInt32LE(8 + index * 4))
  return ['S', sid[0], sid.readUIntBE(2, 6), ...parts].join('-')
}

/** [MS-DTYP] §2.3.4: the first three parts are little-endian. */
export function guidText(guid: Buffer): string | undefined {
  if (guid.length !== 16) return undefined
  const part = (from: number, to: number) => guid.subarray(from, to)
  const parts = [
    Buffer.from(part(0, 4)).reverse(),
    Buffer.from(part(4, 6)).reverse(),
    Buffer.from(part(6, 8)).reverse(),
    part(8, 10),
    part(10, 16),
  ]
  return parts.map((one) => one.toString('hex')).join('-')
}
