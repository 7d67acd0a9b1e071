/** Hashes of known passwords, made by other implementations than those that verify them here. */
export type Vector = {
  /** Who made it. */
  by: string
  hash: string
  password: string
  /** How the form that is stored begins. */
  stored: string
}

const password = 'Zürich, 7 Äpfel & Öl'

const created: readonly (readonly [by: string, hash: string, stored: string, password?: string])[] = [
  // argon2-cffi 25.1, which is the reference implementation.
  [
    'argon2-cffi, argon2id',
    '$argon2id$v=19$m=512,t=2,p=2$EfW0H0i9S/7Tn0edqxcg6A$dfshih3Ig73yQK2Yf+o1asqFoudDX9Iq/YGHfghPRGA',
    '$argon2id$v=19$m=512,t=2,p=2$',
  ],
  [
    'argon2-cffi, argon2i',
    '$argon2i$v=19$m=512,t=2,p=2$5pV3rxn6s1+k7gY7Qz8RBA$ftv8QI50nGFbeIZaUj3cu9UuGi3HUwjFKwurk44VwE8',
    '$argon2i$v=19$m=512,t=2,p=2$',
  ],
  [
    'argon2-cffi, argon2d',
    '$argon2d$v=19$m=512,t=2,p=2$HqHSHpc/hlETw+jm3+GcZA$7sRDPp/ziO0DFpCEpeavIpKwVRGuTY3bot5p9cKxyL4',
    '$argon2d$v=19$m=512,t=2,p=2$',
  ],
  // pyca's bcrypt 5.0; libxcrypt 4.4 (`perl -e 'print crypt(…)'`); the last from crypt_blowfish's own tests.
  ['pyca, $2a$', '$2a$05$5chbdfDkb3FfoRi/dQbsYujm074vQsO1q632swpB1gxFEL61Q.PBy', '$2a$05$'],
  ['pyca, $2b$', '$2b$05$mlMfZ3DSHMlADUO5HPjZzeEty9REHoFzvBRcIJ0wb3CZFsEO7MWd2', '$2b$05$'],
  ['libxcrypt, $2y$', '$2y$05$abcdefghijklmnopqrstuusxNkVRy.6ODbBlcx9itN6EEG4kmeiey', '$2y$05$'],
  ['LDAP, {CRYPT}$2y$', '{CRYPT}$2y$05$abcdefghijklmnopqrstuusxNkVRy.6ODbBlcx9itN6EEG4kmeiey', '$2y$05$'],
  ['crypt_blowfish', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', '$2a$05$', 'U*U'],
  // Werkzeug 3.1.8.
  [
    'Werkzeug, scrypt',
    'scrypt:8192:8:1$monhbLUbGJuzvXdo$737fee039ce1d90a80bc17bd497f257367b140e8639a0264d88efd52f923b1170a52c77f6632f83b20f4a8051f68c9ec7c82c0a3c04486b622088a79a127c6be',
    '$scrypt$ln=13,r=8,p=1$',
  ],
  [
    'Werkzeug, PBKDF2',
    'pbkdf2:sha256:20000$ZFekUiyTLCm2JY3s$da43d407a01694aad167c7e9903f0565616bceda63d310a7f66284babf19e065',
    '$pbkdf2-sha256$i=20000$',
  ],
  // From passlib's documentation and tests.
  [
    'passlib, bcrypt_sha256',
    '$bcrypt-sha256$v=2,t=2b,r=12$n79VH.0Q2TMWmt3Oqt9uku$Kq4Noyk3094Y2QlB8NdRT8SvGiI4ft2',
    '$passlib-bcrypt-sha256-2$2b$12$',
    'password',
  ],
  [
    'passlib, bcrypt_sha256 of version 1',
    '$bcrypt-sha256$2a,5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$passlib-bcrypt-sha256-1$2a$05$',
    'password',
  ],
  // From the tests of ASP.NET Core Identity; then Python's hashlib in the same layout, and in those of Spring and Dovecot.
  [
    'ASP.NET Core Identity',
    'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw',
    '$pbkdf2-sha512$i=50$',
    'my password',
  ],
  [
    'ASP.NET Core Identity, SHA-256',
    'AQAAAAEAACcQAAAAEHJvbGxib29rcm9sbGJvb2sRn+5ddziErYW7Ci5g7VWbM5dAKbpcfMGUz7iqq3GmrQ==',
    '$pbkdf2-sha256$i=10000$',
  ],
  [
    'ASP.NET Core Identity, SHA-512',
    'AQAAAAIAAE4gAAAAEHJvbGxib29rcm9sbGJvb2v21HWIlkgYKt9YpC5w8WREksid9NO166p72VJvW8q2lQ==',
    '$pbkdf2-sha512$i=20000$',
  ],
  [
    'Spring Security, PBKDF2 before 5.8',
    '{pbkdf2}726f6c6c626f6f6ba9af0400572f31d428916ddf16d90821cc057db286c6c55cb1c7a79e7eb36c11',
    '$pbkdf2-sha1$i=185000$',
  ],
  [
    'Spring Security, PBKDF2',
    '{pbkdf2@SpringSecurity_v5_8}726f6c6c626f6f6b726f6c6c626f6f6b9269e3b8c6a91052fa8636b4af1fadb1f07470205c753df914905583c8368922',
    '$pbkdf2-sha256$i=310000$',
  ],
  [
    'Spring Security, scrypt',
    '{scrypt@SpringSecurity_v5_8}$d0801$cm9sbGJvb2tyb2xsYm9vaw==$plQMfPYH+fJTT4gEA1lOjGmIme9+ZEM1E/YmS9NguYc=',
    '$scrypt$ln=13,r=8,p=1$',
  ],
  ['Dovecot, PBKDF2', '{PBKDF2}$1$rollbooksalt$5000$6c409067511749ba1edf68e5deb90d2dd7be2d54', '$pbkdf2-sha1$i=5000$'],
  ['Dovecot, BLF-CRYPT', '{BLF-CRYPT}$2y$05$abcdefghijklmnopqrstuusxNkVRy.6ODbBlcx9itN6EEG4kmeiey', '$2y$05$'],
  [
    'Dovecot, SHA512-CRYPT',
    '{SHA512-CRYPT}$6$rounds=1200$abcdefgh$tWvoaV.xwWbprjt/WmZnVhTy3Dc6XtjhxmUnYQSQbz3ODSoMPRIEudqgS06NkjMi3yKE.15dfddGAnMOavjdQ1',
    '$6$rounds=1200$abcdefgh$',
  ],
  [
    'Dovecot, ARGON2ID',
    '{ARGON2ID}$argon2id$v=19$m=512,t=2,p=2$EfW0H0i9S/7Tn0edqxcg6A$dfshih3Ig73yQK2Yf+o1asqFoudDX9Iq/YGHfghPRGA',
    '$argon2id$v=19$m=512,t=2,p=2$',
  ],
  // libxcrypt 4.4. Lengths of one and two digests are the edges of the specification.
  [
    'libxcrypt, $5$',
    '$5$saltsaltsaltsalt$GBJ4tUhL6Vmj1f/4UTUSUMxVUueh8hKUeiW4xT4/n61',
    '$5$rounds=5000$saltsaltsaltsalt$',
  ],
  [
    'libxcrypt, $6$ in LDAP',
    '{CRYPT}$6$rounds=1200$abcdefgh$tWvoaV.xwWbprjt/WmZnVhTy3Dc6XtjhxmUnYQSQbz3ODSoMPRIEudqgS06NkjMi3yKE.15dfddGAnMOavjdQ1',
    '$6$rounds=1200$abcdefgh$',
  ],
  [
    'libxcrypt, $5$, 32 bytes',
    '$5$rounds=1000$abcdefgh$m7.pKlo1Q6RMoZUKva5IUI16qsDCZt2Eef2mn.JEr43',
    '$5$rounds=1000$abcdefgh$',
    'p'.repeat(32),
  ],
  [
    'libxcrypt, $5$, 64 bytes',
    '$5$rounds=1000$abcdefgh$uumPEvfeMhgNv0ojxgrLQD0xOUlRay6S/3Ad3DNDxL6',
    '$5$rounds=1000$abcdefgh$',
    'p'.repeat(64),
  ],
  [
    'libxcrypt, $6$, 64 bytes',
    '$6$rounds=1000$abcdefgh$pltb0UQbJOd3tyNdu1hQlPRt0BhRfC80u9fHDjGooWZFniK3BTp.edaznPETzsDh1fevyvYtVguy5sYxFqA3x/',
    '$6$rounds=1000$abcdefgh$',
    'p'.repeat(64),
  ],
  [
    'libxcrypt, $6$, 128 bytes',
    '$6$rounds=1000$abcdefgh$iW9BxZ2lix31ZmlJ69wKto2Z.9GhpedZ..VBjbYHbbmn4w45OwBPI5PQz8TIZqnFjnS3XCaQGVJUBSlTYEyfH.',
    '$6$rounds=1000$abcdefgh$',
    'p'.repeat(128),
  ],
  // The specification of SHA-crypt.
  [
    'SHA-crypt',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
    '$6$rounds=5000$saltstring$',
    'Hello world!',
  ],
  // phpass's own test, and the example in the documentation of WordPress.
  ['phpass', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', '$P$9', 'test12345'],
  ['WordPress 2.5 to 6.7', '$P$B55D6LjfHDkINU5wF.v2BuuzO0/XPk/', '$P$B', 'test'],
  // PHP 8.2: password_hash(), hash_hmac() and md5().
  ['phpBB 3.0', '$H$9phpbb3aao6A.UOydZTAXJCBE2q/hI1', '$P$9'],
  ['WordPress 6.8', '$wp$2y$05$zEUUR.ZH68hRh6jOyaZTle56.xRLekHbZ58xBrymcyAmBEcb2vQ42', '$wp$2y$05$'],
  // What a form of WordPress sent, after addslashes().
  ['WordPress 2.5 to 6.7, escaped', '$P$6abcdefghM42UFULG60o1YfNPAjRHr/', '$P$6', `o'brien "x" \\ pass`],
  [
    'WordPress 6.8, escaped',
    '$wp$2y$05$p1mao.lI4wdrL5VnKxZwNOATkPs5XZWC.Ltfijfl0HHTztgxqTPG6',
    '$wp$2y$05$',
    `o'brien "x" \\ pass`,
  ],
  // passlib 1.7.4.
  [
    'passlib, PBKDF2 with SHA-1',
    '$pbkdf2$1200$TWnNWUuplTKGUIqRsnYu5Q$d22tfithVjacB/3/gX7wstRFQKA',
    '$pbkdf2-sha1$i=1200$',
  ],
  [
    'passlib, PBKDF2 with SHA-256',
    '$pbkdf2-sha256$1200$oxRCSAmB8D7HWCtlTMl5Dw$ial/ayh02sSLqdTdu/uyQzY82PXiirP/ScEQzHOzmrc',
    '$pbkdf2-sha256$i=1200$',
  ],
  [
    'passlib, PBKDF2 with SHA-512',
    '$pbkdf2-sha512$1200$39t7DwHgfO89p5TSem9NiQ$' +
      'bFMaoPewZN4wkV3JLZGwojvdWSrnoD.JG90n194NJ5E6qWR0qyOrBceoEG9IhjSX/.TCyOEPtCFFWqydzjlbLQ',
    '$pbkdf2-sha512$i=1200$',
  ],
  [
    'passlib, LDAP with PBKDF2',
    '{PBKDF2-SHA256}1200$SwkhBADgPGfMWct5j3GuFQ$4Bmzb23kGAjwH8liuwkcyMAdZPObjK2rCojKXoW3xc8',
    '$pbkdf2-sha256$i=1200$',
  ],
  [
    'passlib, scrypt',
    '$scrypt$ln=10,r=8,p=2$eu99T0lJyTnHGAMghJDyHg$fd77YX0N/exKXfP9Uy5yty1ypevCizlwuSo01zLpkkA',
    '$scrypt$ln=10,r=8,p=2$',
  ],
  ['passlib, {SSHA}', '{SSHA}SfkyapdwAnzkVP/8niSb3zCFXDLqfS9l', '$salted-sha1$'],
  ['passlib, {SSHA256}', '{SSHA256}DrbUivfZczveOZFJ8gLtzHfuOq8hBGZbzMgG5lA6GeoopZSyFuJ8Dw==', '$salted-sha256$'],
  [
    'passlib, {SSHA512}',
    '{SSHA512}AvxMNRFPrxisgc1OtDx2sMaWcyGrDiqeYeYaNfUahYEFna/62wWuEs5v6J1X+spRjTN5V4NgC3X5T4NwcShsnDJmDOE8Z+yd',
    '$salted-sha512$',
  ],
  // Django 5.2.
  [
    'Django, pbkdf2_sha256',
    'pbkdf2_sha256$1200$5cHOP9zxnUYrW0yvjWXeR8$Eigpn8fDK8B+ULGqhFw3vsOcNYR4nUJx3ZmuoC/Wt3A=',
    '$pbkdf2-sha256$i=1200$',
  ],
  [
    'Django, pbkdf2_sha1',
    'pbkdf2_sha1$1200$p5sGLPe4Evgb9QnAn8bJgP$agKKCJ4BIKvO/GG7DwieDgAVMAM=',
    '$pbkdf2-sha1$i=1200$',
  ],
  [
    'Django, argon2',
    'argon2$argon2id$v=19$m=512,t=2,p=2$bVR3a09RQjVWa2F0RGx5MThsV1N6SQ$2gCdu60BcaWa+Q8lmn2Kh0vxpucmBTv9Iso0AekNYPM',
    '$argon2id$v=19$m=512,t=2,p=2$',
  ],
  ['Django, bcrypt', 'bcrypt$$2b$05$/.zbjWGAKGNRS78sbE1EgOHgjuLEb7kX7lYSQnHBc9TezjQ9oBJ8G', '$2b$05$'],
  [
    'Django, bcrypt_sha256',
    'bcrypt_sha256$$2b$05$81qhnjn8Hq1fDS8Cf52YIeQSoJkaM9TxepyCNgQNQBFIr2sUoxDj.',
    '$django-bcrypt-sha256$2b$05$',
  ],
  [
    'Django, scrypt',
    'scrypt$1024$KaZmGV5ydG61ItmAaeltVc$8$5$' +
      'bYJtxOfKMfMyB6Ai5W3W5nLQPSYGqyekOPJ8D4pU6CAjTp939EiJnGQjtzp4SdSva6blUUkP3/B8Qkc4PJoTeg==',
    '$scrypt$ln=10,r=8,p=5$',
  ],
  // The tests of Ory Kratos.
  [
    'Kratos, pbkdf2',
    '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$' +
      '+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc',
    '$pbkdf2-sha512$i=100000$',
    'test',
  ],
  [
    'Kratos, scrypt',
    '$scrypt$ln=16384,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
    '$scrypt$ln=14,r=8,p=1$',
    'test',
  ],
  ['Kratos, {SSHA256}', '{SSHA256}czO44OTV17PcF1cRxWrLZLy9xHd7CWyVYplr1rOhuMlx/7IK', '$salted-sha256$', 'test123'],
  [
    'Kratos, firescrypt',
    '$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$' +
      'xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==$Bw==$' +
      'YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==',
    '$firebase-scrypt$ln=14,r=8,ss=Bw,',
    '8x4WjoDbSxJZdR',
  ],
  // The example in the description of Firebase's scrypt.
  [
    'Firebase',
    '$firebase-scrypt$ln=14,r=8,ss=Bw==,' +
      'sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$' +
      '42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    '$firebase-scrypt$ln=14,r=8,ss=Bw,',
    'user1password',
  ],
]

export const vectors: readonly Vector[] = created.map(([by, hash, stored, own]) => ({
  by,
  hash,
  stored,
  password: own ?? password,
}))

/** Keycloak's credentials. Java's own PBKDF2, which Keycloak uses; argon2-cffi in place of Bouncy Castle's argon2. */
export const keycloakVectors = [
  {
    algorithm: 'pbkdf2',
    salt: 'xwutG4Jc6EHZ2CR8of72ZQ==',
    value: 'fGLxa+3zTS47TDJy3W532FfCCfaXz/gp6Tzp3M+ouC34S0NR1Npohs+vfyj09jfIVfaa1vMKP0qw4ii4eybsnQ==',
    stored: '$pbkdf2-sha1$i=1200$',
  },
  {
    algorithm: 'pbkdf2-sha256',
    salt: 'aqKWE3L7sdbew3PWbLhNsw==',
    value: '1i9RW7NWIB32km7L/U7mPEBZLLEJYQJhxPgf0AHVUxmsSvOFcZw1e6xVkZuSZVrgBsddJQmPNJESxO9xyYf6sw==',
    stored: '$pbkdf2-sha256$i=1200$',
  },
  {
    algorithm: 'pbkdf2-sha512',
    salt: 'Ic78a3DNuInpwwxA+XAK7g==',
    value: 'COhw0HVifQ3N5orjWjfLDsr5Ms9z36IjTiG081Zc3vRsZTrf45XGl7TaXKLL2G3V+VXq6Q9HklypvTsVZrzAHw==',
    stored: '$pbkdf2-sha512$i=1200$',
  },
  {
    algorithm: 'argon2',
    salt: 'NXo32zgqS+QXtLX8AztAnA==',
    value: 'oe1XdieJkLF4qtYIUC9t+Y9ebVyvt5RkndmyeyRMVIA=',
    stored: '$argon2id$v=19$m=7168,t=5,p=1$',
  },
].map(({ algorithm, salt, value, stored }) => {
  const additionalParameters =
    algorithm === 'argon2'
      ? { hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] }
      : {}
  const hashIterations = algorithm === 'argon2' ? 5 : 1200
  return {
    algorithm,
    credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters }),
    secretData: JSON.stringify({ value, salt, additionalParameters: {} }),
    password,
    stored,
  }
})
