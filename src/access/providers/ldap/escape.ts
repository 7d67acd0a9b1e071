/** Puts what a user typed into filters and distinguished names. The two have different rules, and one does not cover the other. */
import { placeholder } from '../connections/service.ts'

/**
 * RFC 4515 §3: of ASCII, everything but letters and digits is written in hexadecimal. Other characters stay as they are,
 * because the library would read their octets one by one.
 */
export function filterValue(value: string): string {
  return value.replaceAll(/[^A-Za-z0-9\u0080-\u{10ffff}]/gu, (char) => {
    return `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** RFC 4514 §2.4. */
function dnValue(value: string): string {
  return value
    .replaceAll(/[\\"+,;<>=]/g, String.raw`\$&`)
    .replaceAll('\0', String.raw`\00`)
    .replace(/^[ #]/, String.raw`\$&`)
    .replace(/ $/, String.raw`\ `)
}

export function fillFilter(template: string, username: string): string {
  return template.replaceAll(placeholder, () => filterValue(username))
}

/**
 * Fills a template for a direct bind: of a distinguished name (`uid={username},ou=people,dc=example,dc=com`), or of a
 * name that Active Directory takes in its place (`{username}@corp.example.com`, `CORP\{username}`).
 */
export function fillBindName(template: string, username: string): string {
  return template.replaceAll(placeholder, () => (template.includes('=') ? dnValue(username) : username))
}

/** No filter or name of ours needs these, and `\0` would be a password of one byte. */
const controlCharacter = /\p{Cc}/u

/** Whether a name can be looked for at all. */
export function isUsername(text: string): boolean {
  return text !== '' && text.length <= 320 && text.isWellFormed() && !controlCharacter.test(text)
}

/** RFC 4513 §5.1.2: a bind with an empty password succeeds without authenticating the user. */
export function isPassword(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.isWellFormed() && !controlCharacter.test(text)
}
