/** The texts of the sign-in pages and of the pages behind links. The other languages have the same members. */
import { html, type Text, writingIn } from '../../../lib/html.ts'
import { type NoteTexts, noteTexts, reasonTexts } from '../../providers/connections/service.ts'
import { account } from './account/en.ts'
import { durationIn, instantsIn, pluralsOf } from './counted.ts'
import type { PasswordFaults, Reasons, TestDetails, TestOutcomes, WhyEnded } from './parts.ts'
import { setup } from './setup/en.ts'

const locale = 'en-GB'
const { isolated, line, strong } = writingIn('ltr')
const plural = pluralsOf(locale)
const duration = durationIn(locale)
const instants = instantsIn(locale)

const askAdministrator = 'Ask an administrator, and quote the number below.'

export const en = {
  page: {
    language: 'en',
    /** Screen readers read it before the title of a page with a fault. */
    error: (title: Text) => html`Error: ${title}`,
    languages: 'Language',
    terms: 'Terms',
    privacy: 'Privacy',
    support: 'Help',
    show: 'Show',
    hide: 'Hide',
    /** A value in a place of its own. */
    value: isolated,
    /** `{field}` is the label of the field. */
    showField: 'Show {field}',
    hideField: 'Hide {field}',
    nameOf: ({ name, username }: { name: string; username: string }) =>
      name === '' ? strong(username) : line`${strong(name)} (${username})`,
    quote: (number: string) => line`If you ask for help, quote this number: ${number}`,
    toSignIn: 'Go to the sign-in page',
    backToSignIn: 'Back to the sign-in page',
    tryAgain: 'Try again',
    back: 'Back',
    continue: 'Continue',
    later: 'Later',
    startAgain: 'Start again',
    oneMoment: 'One moment',
    signedInAs: (username: Text) => line`You are signed in as ${username}.`,
    missing: 'Something is missing.',
    wait: (seconds: number) => `Wait ${duration(seconds)}, then try again.`,
  },
  acting: {
    label: 'Acting as another user',
    as: ({
      administrator,
      username,
      until,
      now,
    }: {
      administrator: string
      username: string
      until: string
      now: number
    }) =>
      line`${strong(administrator)}, you act as ${strong(username)} until ${instants.moment(until, now)}. You can change nothing.`,
    exit: 'Exit',
  },
  fields: {
    username: 'Username or email address',
    password: 'Password',
    currentPassword: 'Current password',
    newPassword: 'New password',
    newPasswordAgain: 'New password, again',
    newPasswordHint: 'At least 15 characters. A few unrelated words are easy to remember.',
    appCode: 'Code from your authenticator app',
    appCodeHint: 'Six digits.',
    recoveryCode: 'Recovery code',
    recoveryCodeHint: 'Each recovery code works once.',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    forgotAsk: 'Forgot your password? Ask an administrator to set a new one for you.',
    firstAdministrator: html`There is no administrator yet. Open the link that was printed where the service started, or
print another one there: <code dir="ltr">rollbook admin link</code>`,
    nothingEntered: 'Enter your username and your password.',
    failed: {
      title: 'The sign-in failed.',
      detail: 'Check the username and the password. If it keeps failing, ask an administrator.',
    },
    tooManyAttempts: 'Too many attempts.',
    tooManyPeople: 'Too many people are signing in at once.',
    companyNext: (company: string) => line`You sign in with ${company}.`,
  },
  emailCode: {
    offer: 'Sign in with a code by email',
    again: 'Sign in again with a code by email',
    intro: 'Enter your username or email address. You get a message with a code of six digits.',
    send: 'Send the code',
    sendAgain: 'Send another code',
    sentDetail:
      'If there is an account with this name that can use a code, a message is on its way. The code works for ten minutes, in this browser only.',
    field: 'Code from the message',
    hint: 'Six digits.',
    help: 'Nothing there after a few minutes? Look in the spam folder, check the name, or sign in another way.',
    wrong: {
      title: 'The code was not accepted.',
      detail: 'Enter the code from the newest message. Each code works once.',
    },
    expired: {
      title: 'This took too long, or too many codes were wrong.',
      detail: 'Ask for another code.',
    },
  },
  signedIn: {
    title: 'You are signed in',
    passwordChanged: 'Your password was changed.',
    toProduct: (product: string) => line`Continue to ${product}`,
    changePassword: 'Change password',
    linkedAccounts: 'Linked accounts',
  },
  signOut: {
    title: 'Sign out?',
    submit: 'Sign out',
    stay: 'Stay signed in',
    done: 'You are signed out',
    doneDetail: 'Other people who use this browser can no longer use your account.',
    again: 'Sign in again',
    companyToo: 'You are signed out here. You sign out of your company, too.',
  },
  changePassword: {
    title: 'Change password',
    titleRequired: 'Choose a new password',
    required: 'Your current password was set for you. Choose one that only you know.',
    submit: 'Change password',
    consequence: 'You stay signed in here and are signed out everywhere else.',
    failed: 'The password was not changed.',
    currentWrong: 'This is not your current password.',
    notSame: 'The two new passwords are not the same.',
  },
  passwordFaults: {
    password_too_short: 'The password has fewer than 15 characters.',
    password_too_long: 'The password is longer than 1,024 bytes in UTF-8.',
    password_too_common:
      'The password has too few different characters, or is one of the first that attackers guess: common words, rows of keys, sequences or repetitions, with little else.',
    password_contains_context:
      'Without the words that belong to you or this service (username, email address, names, product), what is left of the password is too easy to guess. Add other words or some random characters.',
    password_malformed: 'The password contains characters that cannot be used. Choose another one.',
    password_looks_like_hash: 'This is a password hash, not a password. Choose another one.',
    same_as_before: 'The new password is the same as the current one. Choose another one.',
    other: 'This password cannot be used. Choose another one.',
  } satisfies PasswordFaults,
  confirm: {
    title: 'Confirm that it is you',
    submit: 'Confirm',
    useRecoveryCode: 'Use a recovery code',
    passwordWhy: 'Enter your password to continue.',
    codeMissing: 'Enter a code.',
    trust: (days: number) =>
      plural(days, {
        one: 'Do not ask again in this browser for a day. Use this only on a device that is yours.',
        other: `Do not ask again in this browser for ${days} days. Use this only on a device that is yours.`,
      }),
    passwordWrong: { title: 'The password is wrong.', detail: 'Enter your current password.' },
    codeWrong: {
      title: 'The code was not accepted.',
      detail: 'Enter the code that the app shows now. Each code works once.',
    },
    recoveryCodeWrong: {
      title: 'The recovery code was not accepted.',
      detail: 'Check it for typing errors. Each recovery code works once.',
    },
    expired: {
      title: 'That took too long, or too many codes were wrong.',
      detail: 'Enter your username and your password again.',
    },
  },
  passkeys: {
    signIn: 'Sign in with a passkey',
    use: 'Use a passkey',
    useInstead: 'Use a passkey instead',
    needScripts: 'Passkeys need JavaScript, which is switched off in this browser.',
    notUsed: { title: 'No passkey was used.', detail: 'Try again, or choose another way.' },
    notAccepted: {
      title: 'The passkey was not accepted.',
      detail: 'It may have been removed from your account. Try another one, or choose another way.',
    },
    expired: 'That took too long, or failed too often.',
    busy: { title: 'That does not work right now.', detail: 'Wait a moment, then try again.' },
    unusable: {
      title: 'This browser cannot use your passkey here.',
      detail: 'Try another browser, or choose another way.',
    },
    notAdded: { title: 'No passkey was added.', detail: 'Try again, or choose another way.' },
    known: {
      title: 'This device has a passkey for your account already.',
      detail: 'Sign in with it, or choose another way.',
    },
    newNotAccepted: {
      title: 'The passkey was not accepted.',
      detail: 'Load this page again. If that does not help, choose another way.',
    },
    cannotMake: {
      title: 'This browser cannot make a passkey here.',
      detail: 'Try another browser, or choose another way.',
    },
  },
  addFactor: {
    title: 'Add a second factor',
    why: ({
      isRequired,
      from,
      mayUsePasskey,
    }: {
      isRequired: boolean
      from: string | null
      mayUsePasskey: boolean
    }) => {
      const requires =
        from === null ? 'requires a second factor' : `will require a second factor from ${instants.day(from)} on`
      const ways = mayUsePasskey ? 'a passkey, or an authenticator app' : 'an authenticator app'
      const why = isRequired
        ? `Your administrator ${requires}, so that a stolen password is not enough.`
        : 'With a second factor, a stolen password is not enough to sign in as you.'
      return `${why} You need ${ways} on your phone.`
    },
    setUp: 'Set up an authenticator app',
    setUpTitle: 'Set up your authenticator app',
    scan: 'Scan this picture with the app, then enter the code that it shows.',
    picture: 'QR code for the authenticator app',
    thisDevice: 'On this device:',
    openApp: 'open the app',
    orType: 'Or type in this key:',
    code: 'Code from the app',
    codeWrong: {
      title: 'The code is wrong.',
      detail: 'Enter the code that the app shows now, and check the clock of the phone.',
    },
  },
  recoveryCodes: {
    offer: 'Get recovery codes',
    used: 'Recovery code used',
    left: (left: number) =>
      plural(left, {
        one: 'You have one recovery code left.',
        other:
          left === 0 ? 'You have no recovery code left. Create new ones now.' : `You have ${left} recovery codes left.`,
      }),
    lost: 'If you lost your phone or passkey, remove it from your account and add another one.',
    toAccount: 'Go to your account',
    create: 'Create new recovery codes',
    why: 'With a recovery code you can still sign in if you lose your phone or passkey. You get ten, and each works once.',
    replaces: (left: number) =>
      plural(left, {
        one: 'You have one unused code, which the new ones replace.',
        other: `You have ${left} unused codes, which the new ones replace.`,
      }),
    show: 'Show recovery codes',
    keepOld: 'Keep the codes that I have',
    title: 'Keep your recovery codes',
    keep: 'Each of these codes stands in once for a phone or passkey that you have lost. Print them or write them down; they are shown only now.',
    download: 'Download',
    copy: 'Copy',
    copied: 'Copied.',
    selected: 'The browser does not allow this. The text is selected: copy it yourself.',
    print: 'Print',
    kept: 'I have kept them',
  },
  links: {
    welcome: (product: string) => line`Welcome to ${product}`,
    setTitle: 'Set a new password',
    choose: (username: string) => line`Choose a password for your account ${strong(username)}.`,
    chooseNew: (username: string) => line`Choose a new password for your account ${strong(username)}.`,
    submit: 'Set password',
    signsOut: 'This signs you out everywhere.',
    appCodeHint: 'Your account has a second factor. Enter the six digits.',
    recoveryCodeHint: 'Your account has a second factor. Each recovery code works once.',
    failed: 'The password was not set.',
    notSame: 'The two passwords are not the same.',
    codeWrong: 'The code is wrong, was used before, or has expired.',
    needNoPassword: {
      title: 'You do not need a password.',
      detail: 'You sign in with your company, not with a password.',
    },
    set: 'Your password is set',
    changed: 'Password changed',
    forgotIntro: 'Enter your username or email address. You get a message with a link for a new password.',
    forgotSubmit: 'Send the link',
    forgotMissing: 'Enter your username or email address.',
    sent: 'Check your mailbox',
    sentDetail:
      'If there is an account with this name and it has an email address, a message with a link is on its way. The link works for one hour.',
    sentHelp: 'Nothing there after a few minutes? Look in the spam folder, check the name, or ask an administrator.',
    tryOther: 'Try another name',
    withoutMail: 'Ask an administrator: they can give you a link with which you set a new one.',
    confirmTitle: 'Confirm your email address',
    confirmDetail: (email: string) => line`Messages about your account will go to ${strong(email)}.`,
    confirmSubmit: 'Confirm the address',
    confirmed: 'Your email address is confirmed',
    confirmedDetail: (email: string) => line`${strong(email)} is now your address.`,
    signInFirst: 'Sign in first',
    signInFirstDetail:
      'An address can be confirmed only by the user it belongs to. Open the link in the browser in which you asked for it, or in one in which you are signed in; or sign in here, and open it again.',
  },
  requestAccess: {
    offer: 'No account yet? Ask for access',
    title: 'Ask for access',
    intro: 'Enter your email address. You get a message with a link to your request.',
    email: 'Email address',
    submit: 'Send the link',
    emailInvalid: html`Enter an email address such as ada@example.com.`,
    sentDetail: 'A message is on its way to this address. It says how to go on.',
    sentHelp: 'Nothing there after a few minutes? Look in the spam folder, check the address, or ask an administrator.',
    tryOther: 'Try another address',
    withoutMail: 'Email is not set up here. Ask an administrator for an account.',
    formTitle: 'Your request',
    formIntro: (email: string) => line`You ask for access as ${strong(email)}. An administrator decides.`,
    company: (name: string) => line`You will sign in with ${name}.`,
    optional: 'Optional.',
    firstName: 'First name',
    lastName: 'Last name',
    why: 'Why do you need access?',
    whyHint: 'A sentence is enough.',
    choose: 'Choose …',
    yes: 'Yes',
    no: 'No',
    listHint: 'Separate several with a semicolon.',
    timeHint: html`Date and time, such as 2026-11-20T14:05:00Z.`,
    send: 'Send the request',
    failed: 'The request was not sent.',
    isMissing: (label: string) => line`${label}: enter a value.`,
    isWrong: (label: string) => line`${label}: this value is not accepted.`,
    whyMissing: 'Say why you need access.',
    tooLong: 'This is too long.',
    notPlain: 'Control characters and invisible characters are not allowed.',
    sent: 'Your request was sent',
    sentFormDetail: (email: string) =>
      line`An administrator decides. You get a message at ${strong(email)}. You can close this page.`,
    waiting: 'Your request was sent and is waiting for a decision.',
    decided: 'Your request was decided. There is a message in your mailbox.',
    again: 'If you still need access, ask again.',
    known: { title: 'You have an account already', detail: 'Sign in with this address.' },
  },
  deadLink: {
    title: 'This link does not work',
    unknown: 'It is incomplete or very old. Check that you copied all of it.',
    expired: 'It has expired.',
    newerSent: (at: string, now: number) =>
      line`A newer message was sent at ${instants.moment(at, now)}. Use the link in that one.`,
    newerMade: (at: string, now: number) =>
      line`A newer link was created at ${instants.moment(at, now)}. Use that one.`,
    why: {
      used: 'It was used already, and works once.',
      replaced: 'A newer one was created.',
      withdrawn: 'It was withdrawn.',
      password_changed: 'The password was changed after it was sent.',
      email_changed: 'The email address was changed after it was sent.',
      role_changed: 'The role was changed after it was sent.',
      organization_changed: 'The organization of the account was changed after it was sent.',
      signed_in: 'You have signed in since it was sent, so you did not need it any more.',
      restored: 'It was created before the service was restored from a backup.',
      disabled: 'The account was disabled or deleted after it was sent.',
      deleted: 'The account was disabled or deleted after it was sent.',
    } satisfies WhyEnded,
    /** For a user who is disabled or deleted: the text is the same, so that it does not reveal which. */
    closed: 'If you need the account, ask an administrator.',
    invitation: 'If you have no password yet, ask an administrator for a new invitation.',
    verification: 'If your address is not confirmed yet, sign in and request another link.',
    password_reset: 'If you still need a new password, request another link on the sign-in page.',
    /** Instead, where no messages are sent. */
    passwordResetWithoutMail: 'If you still need a new password, ask an administrator for another link.',
  },
  company: {
    continueWith: (company: string) => line`Continue with ${company}`,
    confirmWith: (company: string) => line`Confirm with ${company}`,
    signInAgainWith: (company: string) => line`Sign in again with ${company}`,
    signInWith: (company: string) => line`Sign in with ${company}`,
    tryAgainWith: (company: string) => line`Try again with ${company}`,
    usernameAt: (company: string) => line`Username or email address at ${company}`,
    otherWay: 'Sign in another way',
    linkTitle: 'Linked accounts',
    linkIntro: (username: string) =>
      line`You are signed in as ${username}. With a linked account you can sign in without your password.`,
    linked: (company: string, account: string) => line`Linked: ${strong(company)}, ${account}`,
    nowLinked: 'The account is linked. You can sign in with it from now on.',
    none: 'There is no company whose accounts can be linked.',
    link: (company: string) => line`Link an account of ${company}`,
    chooseThere: 'Sign in there with the account that you want to link.',
    signInAndLink: 'Sign in and link it',
  },
  /** What the user can do. The connection's page has the details. */
  reasons: {
    subject_invalid: { title: 'The sign-in did not work', detail: askAdministrator },
    user_removed: { title: 'You cannot sign in', detail: `Your account was deleted. ${askAdministrator}` },
    user_inactive: { title: 'You cannot sign in', detail: `Your account is disabled. ${askAdministrator}` },
    user_expired: { title: 'You cannot sign in', detail: `Your access has ended. ${askAdministrator}` },
    organization_disabled: {
      title: 'You cannot sign in',
      detail: `The access of your organization is switched off. ${askAdministrator}`,
    },
    other_organization: {
      title: 'Your account belongs elsewhere',
      detail: `Your account does not belong to the organization that uses this way of signing in. Choose another one on the sign-in page. Otherwise: ${askAdministrator}`,
    },
    not_linked: {
      title: 'There is no account for you yet',
      detail: `Sign in with your password if you have one, and link this way of signing in. Otherwise: ${askAdministrator}`,
    },
    email_invalid: { title: 'There is no account for you yet', detail: askAdministrator },
    email_unverified: {
      title: 'Your email address is not confirmed',
      detail: `Confirm it where you just signed in, then try again. If it is confirmed already: ${askAdministrator}`,
    },
    link_required: {
      title: 'An account with your email address already exists',
      detail: `Sign in the way you usually do, then link this way of signing in: an email address alone does not prove that both are yours. If you have no other way: ${askAdministrator}`,
    },
    address_reassigned: {
      title: 'Your email address still belongs to another account',
      detail: `Another person had it before you, or you have two accounts where you sign in. ${askAdministrator}`,
    },
    role_not_mapped: { title: 'Your account is not ready yet', detail: askAdministrator },
    no_user: { title: 'There is no account for you yet', detail: askAdministrator },
    name_taken: { title: 'The sign-in did not work', detail: askAdministrator },
    identity_taken: {
      title: 'This account is linked to someone else',
      detail: `Choose another account where you sign in. ${askAdministrator}`,
    },
    other_user: {
      title: 'That was another account',
      detail:
        'Confirm with the account that belongs to the user who is signed in here. Sign out there first if you have several.',
    },
    used_before: { title: 'The sign-in did not work', detail: 'Start again from the sign-in page.' },
    wrong_password: {
      title: 'The username or password is wrong',
      detail: 'Try again, or sign in another way.',
    },
    provider_unreachable: {
      title: 'This way of signing in does not work right now',
      detail: 'Try again in a moment, or sign in another way.',
    },
    provider_refused: {
      title: 'You were not signed in',
      detail: 'The sign-in was cancelled, or refused where you sign in. Try again, or sign in another way.',
    },
    code_refused: { title: 'The sign-in did not work', detail: 'Start again from the sign-in page.' },
    token_invalid: { title: 'The sign-in did not work', detail: askAdministrator },
    not_recent: {
      title: 'You were not asked again',
      detail: 'You were signed in there without being asked. Sign out there, then try again.',
    },
    expired: {
      title: 'This sign-in has expired',
      detail: 'It took too long, or was finished already. Start again from the sign-in page.',
    },
    other_browser: {
      title: 'This sign-in does not fit this browser',
      detail:
        'It was started in another browser, or this one has not kept its cookie: cookies are blocked, or two sign-ins started at the same moment. Try again, and allow cookies for this site.',
    },
    inactive: {
      title: 'This way of signing in is switched off',
      detail: 'Choose another one on the sign-in page.',
    },
    interrupted: { title: 'The sign-in did not work', detail: `Start again. If it fails again: ${askAdministrator}` },
  } satisfies Reasons,
  /** The result of a test sign-in, for administrators. */
  test: {
    title: 'The test is complete',
    outcomes: {
      signs_in: 'The user would sign in.',
      links: 'The account would be linked to an existing user, who would sign in.',
      creates: 'A user would be created, and would sign in.',
      refused: 'The sign-in would be refused.',
      reachable: 'The directory can be searched.',
    } satisfies TestOutcomes,
    details: reasonTexts satisfies TestDetails,
    /** What a claim means. `{name}`, `{count}` and `{total}` are values of the note. */
    notes: noteTexts as NoteTexts,
    connection: 'Connection',
    reason: 'Reason',
    username: 'Username',
    email: 'Email address',
    name: 'Name',
    role: 'Role',
    groups: 'Groups',
    attributes: 'Attributes',
    missing: 'missing',
    nothing: 'Nothing that could be verified arrived.',
    caption: 'What arrived, claim by claim',
    claim: 'Claim',
    meaning: 'Value and meaning',
    foot: (number: string) =>
      line`Nothing was changed, and no session was started. The page of the connection keeps this result for 14 days. You can close this tab. Number of the request: ${number}`,
  },
  account,
  setup,
  problems: {
    cross_origin: {
      title: 'This form came from another site',
      detail: 'Open the sign-in page yourself, and try again there.',
    },
    ambiguous_credentials: {
      title: 'Your browser sent two sessions at once',
      detail: 'Sign out on all pages of this site, then sign in again.',
    },
    malformed_request: {
      title: 'The form did not arrive complete',
      detail: 'Open the page again, and fill in the form there.',
    },
    not_found: { title: 'Page not found', detail: 'Check the address.' },
    link_ended: { title: 'This link does not work', detail: 'Request a new one.' },
    expired_token: {
      title: 'This sign-in has ended',
      detail: 'It has expired, or was decided already. Start again on the command line.',
    },
    email_taken: {
      title: 'This address belongs to another account',
      detail: 'Sign in to that account, or choose another address for this one.',
    },
    no_factor: { title: 'There is no second factor', detail: 'Add one first.' },
    factor_not_found: {
      title: 'This took too long',
      detail: 'Start again with setting up the authenticator app.',
    },
    too_many_factors: {
      title: 'You have too many second factors',
      detail: 'Remove one that you no longer use, then try again.',
    },
    too_many_connections: {
      title: 'There are too many connections',
      detail: 'Ask who sent you the link to delete one that is no longer used.',
    },
    too_many_keys: { title: 'You have too many keys', detail: 'Revoke one in your account, then try again.' },
    passkeys_unavailable: { title: 'Passkeys are not available here', detail: 'Choose another way.' },
    permission_denied: {
      title: 'You may not do this',
      detail: 'Ask an administrator for the permissions that this needs.',
    },
    reauthentication_required: {
      title: 'Confirm that it is you',
      detail: 'Sign in again, then repeat what you did.',
    },
    validation_failed: {
      title: 'Some of what you entered is not accepted',
      detail: 'Open the page again, and fill in the form there.',
    },
    too_many_requests: { title: 'Too many requests' },
    unavailable: { title: 'The service is not available right now' },
    secret_unreadable: {
      title: 'Your code cannot be checked.',
      detail: 'Use a passkey or a recovery code if you have one, or ask your administrator for help.',
    },
    internal_error: { title: 'Something went wrong on our side', detail: 'The error was logged.' },
    other: { title: 'That did not work', detail: 'Go back, load the page again, and try once more.' },
  },
  cliLogin: {
    title: 'Sign in the command line?',
    asks: (username: string) => line`A command line asks for a key with which it acts as ${strong(username)}.`,
    machine: 'Machine, as it names itself',
    from: 'Asked from',
    here: 'You are at',
    at: 'Asked at',
    may: 'It may',
    mayNot: 'It may not, because you may not',
    everything: 'do everything that you may do',
    nothing: 'only see who you are',
    until: 'Until',
    moment: (at: string, now: number) => instants.moment(at, now),
    otherNetwork: 'The command line is in another network than this browser. Continue only if you expect this.',
    onlyIf: line`Continue only if you have just entered “rollbook login” yourself. If another person asked you to open this page or to enter a code, refuse.`,
    approve: 'Sign in the command line',
    refuse: 'Refuse',
    toCommandLine: 'Back to the command line.',
    approvedTitle: 'The command line is signed in',
    approvedDetail: 'You can close this page. The key is listed in your account, where you can revoke it.',
    refusedTitle: 'You refused',
    refusedDetail: 'The command line got no key. You can close this page.',
    codeTitle: 'Sign in a command line',
    code: 'Code',
    codeHint: line`The eight letters that the command line shows, such as ${'WDJB-MJHT'}. Enter only a code that you requested yourself.`,
    codeWrong: { title: 'This code is not valid.', detail: 'Check it, or start again on the command line.' },
  },
  gateway: {
    silent: (product: string) => line`${product} does not respond`,
    silentDetail: 'Wait a few seconds, then try again. You stay signed in.',
    signedOut: 'You are signed out',
    signedOutDetail: 'Nothing was sent. Sign in, then fill in the form again.',
  },
}

/** What each language has. A missing text does not pass the type checker. */
export type Texts = typeof en
