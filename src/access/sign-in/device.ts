/**
 * The cookie that tells a browser in which somebody has signed in before. It proves nothing about who sits there; tries
 * from such a browser are counted apart, so that strangers who fail on purpose do not keep its owner out (OWASP: "Slow
 * Down Online Guessing Attacks with Device Cookies").
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUuid } from '../../lib/uuidv7.ts'

export const deviceSeconds = 180 * 86_400

export type Device = { user_id: string; device_id: string }

/** `<user_id>.<device_id>.<when it was written>.<HMAC-SHA256 of all that>` */
export function writeDevice(secret: Uint8Array, { user_id, device_id }: Device, now: number): string {
  const text = `${user_id}.${device_id}.${Math.floor(now / 1000).toString(36)}`
  return `${text}.${macOf(secret, text)}`
}

/** The device behind a cookie's value; nothing when we have not written it, or too long ago. */
export function readDevice(secret: Uint8Array, value: string | undefined, now: number): Device | undefined {
  const [text, user_id, device_id, written, mac] =
    /^(([\w-]{36})\.([\w-]{22})\.([a-z0-9]{1,9}))\.([\w-]{43})$/.exec(value ?? '')?.slice(1) ?? []
  if (text === undefined || user_id === undefined || device_id === undefined || !isUuid(user_id)) return undefined
  // As texts: the last character has bits that no decoder looks at.
  if (!timingSafeEqual(Buffer.from(mac ?? ''), Buffer.from(macOf(secret, text)))) return undefined
  const endsAtMs = (Number.parseInt(written ?? '', 36) + deviceSeconds) * 1000
  return endsAtMs > now ? { user_id, device_id } : undefined
}

/** A browser that several people use has as many of these in its cookie, the latest first. */
const peoplePerBrowser = 4

/** Who has signed in here before: each only for themselves. */
export function readDevices(secret: Uint8Array, cookie: string | undefined, now: number): Device[] {
  const values = (cookie ?? '').split('~').slice(0, peoplePerBrowser)
  return values.map((value) => readDevice(secret, value, now)).filter((device) => device !== undefined)
}

/** The cookie with this one in front; what others have in it stays as it is, and as old. */
export function withDevice(secret: Uint8Array, cookie: string | undefined, device: Device, now: number): string {
  const others = (cookie ?? '').split('~').filter((value) => {
    const other = readDevice(secret, value, now)
    return other !== undefined && other.user_id !== device.user_id
  })
  return [writeDevice(secret, device, now), ...others].slice(0, peoplePerBrowser).join('~')
}

export function newDeviceId(): string {
  return randomBytes(16).toString('base64url')
}

/** With a name for what is signed, so that no signature made for something else passes as one. */
function macOf(secret: Uint8Array, text: string): string {
  return createHmac('sha256', secret).update(`rollbook device 1\n${text}`).digest('base64url')
}
