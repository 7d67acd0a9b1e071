/**
 * The cookie of a browser in which a user has signed in before. It does not prove who uses the browser; attempts from such
 * a browser are counted separately, so that strangers who fail on purpose do not lock out its owner (OWASP: "Slow Down
 * Online Guessing Attacks with Device Cookies").
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUuid } from '../../../lib/uuidv7.ts'

export const deviceSeconds = 180 * 86_400

export type Device = { user_id: string; device_id: string }

/** `<user_id>.<device_id>.<time of writing>.<HMAC-SHA256 of these>` */
export function writeDevice(secret: Uint8Array, { user_id, device_id }: Device, now: number): string {
  const text = `${user_id}.${device_id}.${Math.floor(now / 1000).toString(36)}`
  return `${text}.${macOf(secret, text)}`
}

/** Returns the device of a cookie's value; undefined if it is not ours, or too old. */
export function readDevice(secret: Uint8Array, value: string | undefined, now: number): Device | undefined {
  const [text, user_id, device_id, written, mac] =
    /^(([\w-]{36})\.([\w-]{22})\.([a-z0-9]{1,9}))\.([\w-]{43})$/.exec(value ?? '')?.slice(1) ?? []
  if (text === undefined || user_id === undefined || device_id === undefined || !isUuid(user_id)) return undefined
  // Compare the texts: the last character has bits that decoders ignore.
  if (!timingSafeEqual(Buffer.from(mac ?? ''), Buffer.from(macOf(secret, text)))) return undefined
  const endsAtMs = (Number.parseInt(written ?? '', 36) + deviceSeconds) * 1000
  return endsAtMs > now ? { user_id, device_id } : undefined
}

/** The cookie of a browser with several users contains one of these per user, latest first. */
const peoplePerBrowser = 4

/** Returns the user's own entry. */
export function readDevices(secret: Uint8Array, cookie: string | undefined, now: number): Device[] {
  const values = (cookie ?? '').split('~').slice(0, peoplePerBrowser)
  return values.map((value) => readDevice(secret, value, now)).filter((device) => device !== undefined)
}

/** Returns the cookie with this entry in front; the others keep their content and age. */
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

/** Signs with a label, so that no signature made for another purpose is accepted. */
function macOf(secret: Uint8Array, text: string): string {
  return createHmac('sha256', secret).update(`rollbook device 1\n${text}`).digest('base64url')
}
