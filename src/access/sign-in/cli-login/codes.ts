/** The secrets of a sign-in of the command line, and the forms in which they are stored. */
import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Flow } from './store.ts'

/** RFC 8628 §6.1: without vowels, so that no words come about, and without digits, which look like letters. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8

/** Eight of twenty letters (34 bits), such as WDJB-MJHT. Guessing is throttled, and the code ends with its login. */
export function newUserCode(): string {
  const letters = Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** As typed: in small letters, with blanks, or without the hyphen. */
export function plainUserCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s\p{Dash}]/gu, '')
}

/** 256 random bits: a device code, an authorization code, or the end of the page's address. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function secretHashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** A user code never opens the page of a loopback login, nor an address that of a device. */
export function pageHashOf(flow: Flow, text: string): string {
  return hash('sha256', `${flow} ${flow === 'device' ? plainUserCode(text) : text}`, 'hex')
}

/** RFC 7636 §4.2: the challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url')
}

/**
 * RFC 8252 §7.3: a port of the machine itself, by its address. `localhost` may lead elsewhere, and whatever is not in this form
 * could be another host for another parser.
 */
export function isLoopbackUri(text: string): boolean {
  const [, port = ''] = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):(\d{1,5})\/[\w.~/-]{0,128}$/.exec(text) ?? []
  return Number(port) >= 1 && Number(port) <= 65_535
}
