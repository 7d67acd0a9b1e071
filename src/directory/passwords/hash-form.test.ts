import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { vectors } from '../../../test/passwords/vectors.ts'
import { looksLikeHash } from './hash-form.ts'

const hex = (length: number) => '0123456789abcdef'.repeat(8).slice(0, length)

describe('the form of a password hash', () => {
  const hashes: readonly string[] = [
    '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$2y$12$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$2b$10$N9qo8uLOickgx2ZMRZoMye', // Cut short.
    '$wp$2y$10$2zP1RDVyvGsdxqDS2HUCbe9ldyH7SpCjiTd7ecKCKNGzVAnwDcdEm',
    '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    '$pbkdf2-sha512$25000$13rvfW8thVAqBQDgHIOwVg$eQxJGwVZ0q4vS7s9sX',
    '$1$deadbeef$0Huu6KHrKLVWfqa4WljDE0',
    '$apr1$gXAXAwAn$cMm6TIiNLWJSqwoBOeWaM/',
    '$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuolil07guHPvOW8mGsh',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO/O817G3uBnIFNjnQJuesI68OTLiBFdcbYEdFCoEOfaS35inz1',
    '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7',
    '$7$CU..../....TrNn4C5NiwhqCe2PNpLhS1$OtkpZGW6gBE1PTbpxEkSwdZEMPKjOAZTuCqCYWbZvHB',
    '$P$BhXRQ3c7Lb5WqWtWYd0Kp0OgC4nWQf.',
    '$H$9bC8S4NmPZ2t1IX6iAc9W8rC4b7rZQ/',
    '$S$DkIkdKLIvRK0iVHm99X7B/M8QC17E1Tp/kMOd1Ie8V/PgWjtAZld',
    'pbkdf2_sha256$600000$slbK3eOS5qsV5CoSfO0Iro$a84KMjdcqrBbigzrgj1dlEJ44pdiwBeDQGzu8yrKa0M=',
    'pbkdf2:sha256:260000$V4mKj9$9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'bcrypt_sha256$$2b$12$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    'md5$salt$5f4dcc3b5aa765d61d8327deb882cf99',
    'sha1:64000:18:B6oWbvtHvu8qCgoE75wxmvpidRnGzGFt:R1gkPOuVjqIoTulWP1TABS0H',
    '{SSHA}C+bL9rouYK1V3P00+0KHW2KtlKEc4/yf',
    '{sha}W6ph5Mm5Pz8GgiULbPgzG37mj9g=',
    '{SSHA512}C+bL9rouYK1V3P00+0KHW2KtlKEc4/yfC+bL9rouYK1V3P00+0KHW2KtlKEc4/yf',
    '{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO',
    '{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG',
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    'md55f4dcc3b5aa765d61d8327deb882cf99',
    '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19',
    'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg9rJ8mQh8O2y0h1zXq3vYp0n5s7Jw2k1Tt0QFhM4vXy9A==',
    `${hex(32)}:Zx81`,
    '{BLF-CRYPT}$2y$05$abcdefghijklmnopqrstuu5LoESdjkOyFmBVZKjJzQ7qEkQ5mfp8i',
    '{SHA512-CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO',
    '{PLAIN-MD5}5f4dcc3b5aa765d61d8327deb882cf99',
    '{SSHA256.hex}5f4dcc3b5aa765d61d8327deb882cf99',
    '$sm3$saltsalt$Xq8ZVFyvKUJHqBaPkLHV0bQyVXDxTxAfLRlkJ3bTWd/',
    '$scram$6400$.Z/znnNOKWUsBaCU$sha-1=cRseQyJpnuPGn3e6d6u6JdJWk',
    '0x0100CF465B7B12625EF019E157120D58DD46569AC7BF4118455D',
    'grub.pbkdf2.sha512.10000.0123456789ABCDEF.FEDCBA9876543210',
    'hash:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '{"algorithm":"bcrypt","hash":"$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}',
    "b'$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'",
    '`$2b$10$N9qo8uLOickgx2ZMRZoMye`',
    '\u200b$2b$10$N9qo8uLOickgx2ZMRZoMye\u200b',
    '\\$2b\\$10\\$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$$2b$$10$$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    'ada:$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO/O817G3uBnIFNjnQJuesI68OTLiBFdcbYEdFCoEOfaS35inz1:19000:0:',
    hex(40).toUpperCase(),
    ...[32, 40, 56, 64, 96, 128].map(hex),
  ]
  for (const hash of [...hashes, ...vectors.map((vector) => vector.hash)]) {
    it(`is that of ${hash.slice(0, 70)}`, () => {
      for (const text of [hash, ` ${hash}\n`, `"${hash}"`]) assert.ok(looksLikeHash(text))
    })
  }

  const passwords: readonly string[] = [
    'correct horse battery staple of mine',
    '$ecret$tuffIsHereAlways',
    '$2 for a coffee and $5 for a cake',
    '{ "quoted": "braces are fine" }',
    '{smile} to the camera, please',
    'md5 is broken, sha1 too: use argon2',
    'bcrypt: a love story in ten rounds',
    '$tack $of $pancakes $and $maple $syrup',
    '$$ two dollars $$ are not four $$',
    '*starred* and *starred* again and again',
    'Jd9!ada.lovelace-x7Kp2mQz',
    hex(31),
    hex(33),
    `${hex(16)}-${hex(15)}`,
    'DeadBeefDeadBeefDeadBeefDeadBeef', // No tool prints a digest in two cases.
    '8f14e45f-ceea-467f-a9d2-4b3c1d5e6f70',
    'pXr3kVbq7ZyWm2NfTc8LsJd5HgQe9RaUo4x6v1Bn0iE=', // Base64 of 32 random bytes.
  ]
  for (const password of passwords) {
    it(`is not that of ${password}`, () => assert.equal(looksLikeHash(password), false))
  }

  it('is that of no random password or sentence', () => {
    const signs = fc.noBias(fc.string({ unit: 'grapheme-ascii', minLength: 15, maxLength: 30 }))
    const words = fc.noBias(fc.array(fc.stringMatching(/^[a-z]{2,9}$/), { minLength: 3, maxLength: 6 }))
    const any = fc.oneof(
      signs,
      words.map((parts) => parts.join(' ')),
    )
    for (const password of fc.sample(any, { seed: 13, numRuns: 2000 })) assert.equal(looksLikeHash(password), false)
  })
})
