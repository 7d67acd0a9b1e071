/**
 * Recognizes a password hash that is sent as a password, by its form alone: a mistake in an import would otherwise let
 * people sign in with the hash itself. Every form is anchored at both ends, or long, and has a marker that no passphrase has
 * by chance, except bare hexadecimal digests: those are refused too, for MD5 and SHA dumps are written that way. Base64
 * digests are not recognized, because password generators write the same.
 */
import { readForeignHash } from './foreign.ts'

const forms: readonly RegExp[] = [
  // bcrypt, also with WordPress's marker in front.
  /^(\$wp)?\$2[abxy]?\$[0-9]{2}\$[./a-z0-9]{12,}$/i,
  // PHC strings and passlib's: $argon2id$…, $scrypt$…, $pbkdf2-sha256$…, $bcrypt-sha256$…
  /^\$(argon2(id|i|d)?|scrypt|s0|pbkdf2(-[a-z0-9]+)?|bcrypt(-sha256)?|firescrypt|hmac-[a-z0-9]+|sha(1|256|512)(-crypt)?|shiro1|balloon[a-z0-9]*)\$\S{8,}$/i,
  // crypt(3): MD5, SHA-2, scrypt, yescrypt, NT, SunMD5 and apr1.
  /^\$(1|3|5|6|7|8|9|y|gy|apr1|md5|md5,rounds=[0-9]+)\$\S{8,}$/,
  // phpass, of WordPress, phpBB and Drupal; MediaWiki's :B:.
  /^U?\$[PHS]\$[./a-z0-9]{20,}$/i,
  /^:[AB]:([^:\s]{1,32}:)?[0-9a-f]{32}$/i,
  // LDAP and Spring Security: {SSHA}…, {CRYPT}…, {bcrypt}…
  /^\{(s?(sha|md5)(-?[0-9]{3})?|(s?smd5)|crypt|bcrypt|scrypt|argon2(id|i|d)?|pbkdf2[a-z0-9-]*|pkcs5s2|x-is?sha[a-z0-9]*|ssha3?(-?[0-9]{3})?|md4|nt)\}(@SpringSecurity_v5_8)?\S{8,}$/i,
  // Django, passlib, Werkzeug, PHP PasswordHash and others: the name of a function, then parameters, salt and result.
  /^(unsalted_)?(pbkdf2|pbkdf2[_:-]?sha-?[0-9]{1,3}|argon2(id|i|d)?|bcrypt(_sha256|-sha256)?|scrypt|md[45]|sha-?(1|224|256|384|512)|hmac-sha[0-9]+)[$:]\S{16,}$/i,
  // Dovecot: {BLF-CRYPT}…, {SHA512-CRYPT}…, {PLAIN-MD5}…, {SSHA256.hex}…
  /^\{(plain-md[45]|ldap-md5|[a-z0-9]+-crypt|(s?sha(256|512)?|s?md5|argon2(id|i|d)?|pbkdf2)(\.(hex|b64|base64))?)\}\S{8,}$/i,
  // Other formats in the style of crypt(3), of which there are many: $sm3$…, $scram$…, $ml$…
  /^(?=.{30})\$[a-z0-9_-]{1,24}(\$[a-z0-9./+=,*_-]+){2,}$/i,
  // The own ones of Microsoft SQL Server, GRUB, PostgreSQL and MySQL.
  /^0x0[12]00[0-9a-f]{48,136}$/i,
  /^grub\.pbkdf2\.\S{16,}$/i,
  /^SCRAM-SHA-(1|256|512)\$\S{16,}$/,
  /^md5[0-9a-f]{32}$/,
  /^\*[0-9A-F]{40}$/,
  /^\$A\$005\$.{40,}$/s,
  // ASP.NET Identity: base64 of a version byte, then parameters with leading zeros.
  /^AQAAAA[IE][A-Za-z0-9+/]{50,}={0,2}$/,
]

/** A digest as tools print it: in one case, alone or with its salt behind a colon. MD5, SHA-1, and the SHA-2 family. */
const hexDigest =
  /^(0x)?([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(:[^\s:]{1,64})?$/

/** Long and regular enough to be recognized inside other text: `hash:$2b$…`, JSON, `ada:$6$…`. */
const complete = [
  /\$2[abxy]?\$[0-9]{2}\$[./a-z0-9]{53}/i,
  /\$argon2(id|i|d)\$(v=[0-9]+\$)?m=[0-9]+,t=[0-9]+,p=[0-9]+/,
  /\$[56y]\$([a-z0-9./=]{1,40}\$){1,2}[./a-z0-9]{43,86}/i,
]

/** Characters around a value that was copied out of a file. */
const surroundings = /^[\s"'`\p{Cf}\p{Cc}]+|[\s"'`,;\p{Cf}\p{Cc}]+$/gu

export function looksLikeHash(password: string): boolean {
  // Shells and Compose files have a dollar sign as `\$` or `$$`.
  return isHash(password) || isHash(password.replace(/\\\$|\$\$/g, '$$'))
}

function isHash(password: string): boolean {
  const text = password.replace(surroundings, '')
  if (complete.some((form) => form.test(text)) || forms.some((form) => form.test(text))) return true
  if (hexDigest.test(text) || (hexDigest.test(text.toLowerCase()) && !/[a-z]/.test(text))) return true
  return 'phc' in readForeignHash(text)
}
