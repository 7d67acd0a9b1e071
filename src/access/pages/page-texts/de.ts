import { html, type Text, writingIn } from '../../../lib/html.ts'
import { account } from './account/de.ts'
import { durationIn, instantsIn, pluralsOf } from './counted.ts'
import type { Texts } from './en.ts'
import { setup } from './setup/de.ts'

const locale = 'de'
const { isolated, line, strong } = writingIn('ltr')
const plural = pluralsOf(locale)
const duration = durationIn(locale)
const instants = instantsIn(locale)

const askAdministrator = 'Wenden Sie sich an Ihre Administration und nennen Sie die Nummer unten.'

export const de: Texts = {
  page: {
    language: 'de',
    error: (title: Text) => html`Fehler: ${title}`,
    languages: 'Sprache',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
    support: 'Hilfe',
    show: 'Anzeigen',
    hide: 'Verbergen',
    value: isolated,
    showField: '{field}: anzeigen',
    hideField: '{field}: verbergen',
    nameOf: ({ name, username }) => (name === '' ? strong(username) : line`${strong(name)} (${username})`),
    quote: (number) => line`Wenn Sie um Hilfe bitten, nennen Sie diese Nummer: ${number}`,
    toSignIn: 'Zur Anmeldeseite',
    backToSignIn: 'Zurück zur Anmeldeseite',
    tryAgain: 'Erneut versuchen',
    back: 'Zurück',
    continue: 'Weiter',
    later: 'Später',
    startAgain: 'Neu beginnen',
    oneMoment: 'Einen Moment',
    signedInAs: (username) => line`Sie sind als ${username} angemeldet.`,
    missing: 'Es fehlt eine Angabe.',
    wait: (seconds) => `Warten Sie ${duration(seconds)} und versuchen Sie es dann erneut.`,
  },
  acting: {
    label: 'Handeln als anderer Benutzer',
    as: ({ administrator, username, until, now }) =>
      line`${strong(administrator)}, Sie handeln als ${strong(username)}, bis ${instants.moment(until, now)}. Ändern können Sie nichts.`,
    exit: 'Beenden',
  },
  fields: {
    username: 'Benutzername oder E-Mail-Adresse',
    password: 'Passwort',
    currentPassword: 'Aktuelles Passwort',
    newPassword: 'Neues Passwort',
    newPasswordAgain: 'Neues Passwort wiederholen',
    newPasswordHint: 'Mindestens 15 Zeichen. Einige Wörter ohne Zusammenhang lassen sich leicht merken.',
    appCode: 'Code aus Ihrer Authenticator-App',
    appCodeHint: 'Sechs Ziffern.',
    recoveryCode: 'Wiederherstellungscode',
    recoveryCodeHint: 'Jeder Wiederherstellungscode gilt einmal.',
  },
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    forgotAsk: 'Passwort vergessen? Bitten Sie Ihre Administration, ein neues für Sie festzulegen.',
    firstAdministrator: html`Es gibt noch keinen Administrator. Öffnen Sie den Link, der beim Start des Dienstes ausgegeben
wurde, oder lassen Sie dort einen neuen ausgeben: <code dir="ltr">rollbook admin link</code>`,
    nothingEntered: 'Geben Sie Ihren Benutzernamen und Ihr Passwort ein.',
    failed: {
      title: 'Die Anmeldung ist fehlgeschlagen.',
      detail:
        'Prüfen Sie Benutzername und Passwort. Wenn es weiterhin nicht gelingt, wenden Sie sich an Ihre Administration.',
    },
    tooManyAttempts: 'Zu viele Versuche.',
    tooManyPeople: 'Gerade melden sich zu viele Personen gleichzeitig an.',
    companyNext: (company) => line`Sie melden sich über ${company} an.`,
  },
  emailCode: {
    offer: 'Mit einem Code per E-Mail anmelden',
    again: 'Erneut mit einem Code per E-Mail anmelden',
    intro:
      'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Sie erhalten eine Nachricht mit einem Code aus sechs Ziffern.',
    send: 'Code senden',
    sendAgain: 'Neuen Code senden',
    sentDetail:
      'Wenn es ein Konto mit diesem Namen gibt, das einen Code verwenden kann, ist eine Nachricht unterwegs. Der Code gilt zehn Minuten, nur in diesem Browser.',
    field: 'Code aus der Nachricht',
    hint: 'Sechs Ziffern.',
    help: 'Nach einigen Minuten noch nichts da? Sehen Sie im Spam-Ordner nach, prüfen Sie den Namen, oder melden Sie sich anders an.',
    wrong: {
      title: 'Der Code wurde nicht angenommen.',
      detail: 'Geben Sie den Code aus der neuesten Nachricht ein. Jeder Code gilt einmal.',
    },
    expired: {
      title: 'Das hat zu lange gedauert, oder zu viele Codes waren falsch.',
      detail: 'Fordern Sie einen neuen Code an.',
    },
  },
  signedIn: {
    title: 'Sie sind angemeldet',
    passwordChanged: 'Ihr Passwort wurde geändert.',
    toProduct: (product) => line`Weiter zu ${product}`,
    changePassword: 'Passwort ändern',
    linkedAccounts: 'Verknüpfte Konten',
  },
  signOut: {
    title: 'Abmelden?',
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Sie sind abgemeldet',
    doneDetail: 'Andere, die diesen Browser benutzen, können Ihr Konto nicht mehr verwenden.',
    again: 'Erneut anmelden',
    companyToo: 'Sie sind hier abgemeldet und werden auch bei Ihrer Firma abgemeldet.',
  },
  changePassword: {
    title: 'Passwort ändern',
    titleRequired: 'Neues Passwort wählen',
    required: 'Ihr aktuelles Passwort wurde für Sie festgelegt. Wählen Sie eines, das nur Sie kennen.',
    submit: 'Passwort ändern',
    consequence: 'Sie bleiben hier angemeldet und werden überall sonst abgemeldet.',
    failed: 'Das Passwort wurde nicht geändert.',
    currentWrong: 'Das ist nicht Ihr aktuelles Passwort.',
    notSame: 'Die beiden neuen Passwörter stimmen nicht überein.',
  },
  passwordFaults: {
    password_too_short: 'Das Passwort hat weniger als 15 Zeichen.',
    password_too_long: 'Das Passwort ist länger als 1.024 Bytes in UTF-8.',
    password_too_common:
      'Das Passwort hat zu wenige verschiedene Zeichen oder gehört zu den ersten, die Angreifer probieren: häufige Wörter, Tastenreihen, Folgen oder Wiederholungen und wenig sonst.',
    password_contains_context:
      'Ohne die Wörter, die zu Ihnen oder zu diesem Dienst gehören (Benutzername, E-Mail-Adresse, Namen, Produkt), ist der Rest des Passworts zu leicht zu erraten. Ergänzen Sie andere Wörter oder einige zufällige Zeichen.',
    password_malformed: 'Das Passwort enthält Zeichen, die nicht verwendet werden können. Wählen Sie ein anderes.',
    password_looks_like_hash: 'Das ist ein Passwort-Hash, kein Passwort. Wählen Sie ein anderes.',
    same_as_before: 'Das neue Passwort ist dasselbe wie das aktuelle. Wählen Sie ein anderes.',
    other: 'Dieses Passwort kann nicht verwendet werden. Wählen Sie ein anderes.',
  },
  confirm: {
    title: 'Bestätigen Sie, dass Sie es sind',
    submit: 'Bestätigen',
    useRecoveryCode: 'Wiederherstellungscode verwenden',
    passwordWhy: 'Geben Sie Ihr Passwort ein, um fortzufahren.',
    codeMissing: 'Geben Sie einen Code ein.',
    trust: (days) =>
      plural(days, {
        one: 'In diesem Browser einen Tag lang nicht mehr fragen. Nur auf einem Gerät verwenden, das Ihnen gehört.',
        other: `In diesem Browser ${days} Tage lang nicht mehr fragen. Nur auf einem Gerät verwenden, das Ihnen gehört.`,
      }),
    passwordWrong: { title: 'Das Passwort ist falsch.', detail: 'Geben Sie Ihr aktuelles Passwort ein.' },
    codeWrong: {
      title: 'Der Code wurde nicht angenommen.',
      detail: 'Geben Sie den Code ein, den die App jetzt anzeigt. Jeder Code gilt einmal.',
    },
    recoveryCodeWrong: {
      title: 'Der Wiederherstellungscode wurde nicht angenommen.',
      detail: 'Prüfen Sie ihn auf Tippfehler. Jeder Wiederherstellungscode gilt einmal.',
    },
    expired: {
      title: 'Das hat zu lange gedauert, oder zu viele Codes waren falsch.',
      detail: 'Geben Sie Ihren Benutzernamen und Ihr Passwort noch einmal ein.',
    },
  },
  passkeys: {
    signIn: 'Mit einem Passkey anmelden',
    use: 'Passkey verwenden',
    useInstead: 'Stattdessen einen Passkey verwenden',
    needScripts: 'Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist.',
    notUsed: {
      title: 'Es wurde kein Passkey verwendet.',
      detail: 'Versuchen Sie es erneut oder wählen Sie einen anderen Weg.',
    },
    notAccepted: {
      title: 'Der Passkey wurde nicht angenommen.',
      detail:
        'Vielleicht wurde er aus Ihrem Konto entfernt. Versuchen Sie es mit einem anderen oder wählen Sie einen anderen Weg.',
    },
    expired: 'Das hat zu lange gedauert oder ist zu oft fehlgeschlagen.',
    busy: {
      title: 'Das ist gerade nicht möglich.',
      detail: 'Warten Sie einen Moment und versuchen Sie es dann erneut.',
    },
    unusable: {
      title: 'Dieser Browser kann Ihren Passkey hier nicht verwenden.',
      detail: 'Versuchen Sie es mit einem anderen Browser oder wählen Sie einen anderen Weg.',
    },
    notAdded: {
      title: 'Es wurde kein Passkey hinzugefügt.',
      detail: 'Versuchen Sie es erneut oder wählen Sie einen anderen Weg.',
    },
    known: {
      title: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
      detail: 'Melden Sie sich damit an oder wählen Sie einen anderen Weg.',
    },
    newNotAccepted: {
      title: 'Der Passkey wurde nicht angenommen.',
      detail: 'Laden Sie diese Seite neu. Wenn das nicht hilft, wählen Sie einen anderen Weg.',
    },
    cannotMake: {
      title: 'Dieser Browser kann hier keinen Passkey erstellen.',
      detail: 'Versuchen Sie es mit einem anderen Browser oder wählen Sie einen anderen Weg.',
    },
  },
  addFactor: {
    title: 'Zweiten Faktor hinzufügen',
    why: ({ isRequired, from, mayUsePasskey }) => {
      const requires =
        from === null
          ? 'Ihr Administrator verlangt einen zweiten Faktor'
          : `Ihr Administrator verlangt ab dem ${instants.day(from)} einen zweiten Faktor`
      const ways = mayUsePasskey ? 'einen Passkey oder eine Authenticator-App' : 'eine Authenticator-App'
      const why = isRequired
        ? `${requires}, damit ein gestohlenes Passwort allein nicht genügt.`
        : 'Mit einem zweiten Faktor genügt ein gestohlenes Passwort nicht, um sich als Sie anzumelden.'
      return `${why} Sie brauchen ${ways} auf Ihrem Telefon.`
    },
    setUp: 'Authenticator-App einrichten',
    setUpTitle: 'Authenticator-App einrichten',
    scan: 'Scannen Sie dieses Bild mit der App und geben Sie dann den Code ein, den sie anzeigt.',
    picture: 'QR-Code für die Authenticator-App',
    thisDevice: 'Auf diesem Gerät:',
    openApp: 'App öffnen',
    orType: 'Oder geben Sie diesen Schlüssel ein:',
    code: 'Code aus der App',
    codeWrong: {
      title: 'Der Code ist falsch.',
      detail: 'Geben Sie den Code ein, den die App jetzt anzeigt, und prüfen Sie die Uhr des Telefons.',
    },
  },
  recoveryCodes: {
    offer: 'Wiederherstellungscodes erstellen',
    used: 'Code benutzt',
    left: (left) =>
      plural(left, {
        one: 'Sie haben noch einen Wiederherstellungscode.',
        other:
          left === 0
            ? 'Sie haben keinen Wiederherstellungscode mehr. Erstellen Sie jetzt neue.'
            : `Sie haben noch ${left} Wiederherstellungscodes.`,
      }),
    lost: 'Wenn Sie Ihr Telefon oder Ihren Passkey verloren haben, entfernen Sie diesen Faktor aus Ihrem Konto und fügen Sie einen anderen hinzu.',
    toAccount: 'Zu Ihrem Konto',
    create: 'Neue Wiederherstellungscodes erstellen',
    why: 'Mit einem Wiederherstellungscode können Sie sich auch dann anmelden, wenn Sie Ihr Telefon oder Ihren Passkey verlieren. Sie erhalten zehn, und jeder gilt einmal.',
    replaces: (left) =>
      plural(left, {
        one: 'Sie haben noch einen unbenutzten Code, den die neuen ersetzen.',
        other: `Sie haben noch ${left} unbenutzte Codes, die von den neuen ersetzt werden.`,
      }),
    show: 'Wiederherstellungscodes anzeigen',
    keepOld: 'Die bisherigen Codes behalten',
    title: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
    keep: 'Mit jedem dieser Codes können Sie sich einmal anmelden, wenn Sie Ihr Telefon oder Ihren Passkey verloren haben. Drucken Sie die Codes aus oder schreiben Sie sie auf; sie werden nur jetzt angezeigt.',
    download: 'Herunterladen',
    copy: 'Kopieren',
    copied: 'Kopiert.',
    selected: 'Der Browser erlaubt das nicht. Der Text ist markiert: Kopieren Sie ihn selbst.',
    print: 'Drucken',
    kept: 'Ich habe sie aufbewahrt',
  },
  links: {
    welcome: (product) => line`Willkommen bei ${product}`,
    setTitle: 'Neues Passwort festlegen',
    choose: (username) => line`Wählen Sie ein Passwort für Ihr Konto ${strong(username)}.`,
    chooseNew: (username) => line`Wählen Sie ein neues Passwort für Ihr Konto ${strong(username)}.`,
    submit: 'Passwort festlegen',
    signsOut: 'Damit werden Sie überall abgemeldet.',
    appCodeHint: 'Ihr Konto hat einen zweiten Faktor. Geben Sie die sechs Ziffern ein.',
    recoveryCodeHint: 'Ihr Konto hat einen zweiten Faktor. Jeder Wiederherstellungscode gilt einmal.',
    failed: 'Das Passwort wurde nicht festgelegt.',
    notSame: 'Die beiden Passwörter stimmen nicht überein.',
    codeWrong: 'Der Code ist falsch, wurde schon benutzt oder ist abgelaufen.',
    needNoPassword: {
      title: 'Sie brauchen kein Passwort.',
      detail: 'Sie melden sich über Ihre Firma an, nicht mit einem Passwort.',
    },
    set: 'Ihr Passwort ist festgelegt',
    changed: 'Passwort geändert',
    forgotIntro:
      'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Sie erhalten eine Nachricht mit einem Link für ein neues Passwort.',
    forgotSubmit: 'Link senden',
    forgotMissing: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.',
    sent: 'Sehen Sie in Ihr Postfach',
    sentDetail:
      'Wenn es ein Konto mit diesem Namen gibt und es eine E-Mail-Adresse hat, ist eine Nachricht mit einem Link unterwegs. Der Link gilt eine Stunde.',
    sentHelp:
      'Nach einigen Minuten noch nichts da? Sehen Sie im Spam-Ordner nach, prüfen Sie den Namen oder wenden Sie sich an Ihre Administration.',
    tryOther: 'Anderen Namen versuchen',
    withoutMail:
      'Wenden Sie sich an Ihre Administration: Sie kann Ihnen einen Link geben, mit dem Sie ein neues Passwort festlegen.',
    confirmTitle: 'E-Mail-Adresse bestätigen',
    confirmDetail: (email) => line`Nachrichten zu Ihrem Konto gehen dann an ${strong(email)}.`,
    confirmSubmit: 'Adresse bestätigen',
    confirmed: 'Ihre E-Mail-Adresse ist bestätigt',
    confirmedDetail: (email) => line`${strong(email)} ist jetzt Ihre Adresse.`,
    signInFirst: 'Melden Sie sich zuerst an',
    signInFirstDetail:
      'Eine Adresse kann nur bestätigen, wem sie gehört. Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben, oder in einem, in dem Sie angemeldet sind; oder melden Sie sich hier an und öffnen Sie ihn dann erneut.',
  },
  requestAccess: {
    offer: 'Noch kein Konto? Zugang anfragen',
    title: 'Zugang anfragen',
    intro: 'Geben Sie Ihre E-Mail-Adresse ein. Sie bekommen eine Nachricht mit einem Link zu Ihrer Anfrage.',
    email: 'E-Mail-Adresse',
    submit: 'Link senden',
    emailInvalid: html`Geben Sie eine E-Mail-Adresse wie ada@example.com ein.`,
    sentDetail: 'Eine Nachricht an diese Adresse ist unterwegs. Darin steht, wie es weitergeht.',
    sentHelp:
      'Nach einigen Minuten noch nichts da? Sehen Sie im Spam-Ordner nach, prüfen Sie die Adresse oder wenden Sie sich an Ihre Administration.',
    tryOther: 'Andere Adresse versuchen',
    withoutMail: 'E-Mail ist hier nicht eingerichtet. Bitten Sie Ihre Administration um ein Konto.',
    formTitle: 'Ihre Anfrage',
    formIntro: (email: string) => line`Sie fragen als ${strong(email)} Zugang an. Die Administration entscheidet.`,
    company: (name: string) => line`Sie werden sich mit ${name} anmelden.`,
    optional: 'Freiwillig.',
    firstName: 'Vorname',
    lastName: 'Nachname',
    why: 'Wofür brauchen Sie Zugang?',
    whyHint: 'Ein Satz genügt.',
    choose: 'Auswählen …',
    yes: 'Ja',
    no: 'Nein',
    listHint: 'Trennen Sie mehrere durch ein Semikolon.',
    timeHint: html`Datum und Uhrzeit, zum Beispiel 2026-11-20T14:05:00Z.`,
    send: 'Anfrage senden',
    failed: 'Die Anfrage wurde nicht gesendet.',
    isMissing: (label: string) => line`${label}: Geben Sie einen Wert ein.`,
    isWrong: (label: string) => line`${label}: Dieser Wert wird nicht angenommen.`,
    whyMissing: 'Sagen Sie, wofür Sie Zugang brauchen.',
    tooLong: 'Das ist zu lang.',
    notPlain: 'Steuerzeichen und unsichtbare Zeichen sind nicht erlaubt.',
    sent: 'Ihre Anfrage wurde gesendet',
    sentFormDetail: (email: string) =>
      line`Die Administration entscheidet. Sie bekommen eine Nachricht an ${strong(email)}. Sie können diese Seite schließen.`,
    waiting: 'Ihre Anfrage wurde gesendet und wartet auf eine Entscheidung.',
    decided: 'Über Ihre Anfrage wurde entschieden. In Ihrem Postfach ist eine Nachricht.',
    again: 'Wenn Sie noch Zugang brauchen, fragen Sie erneut an.',
    known: { title: 'Sie haben schon ein Konto', detail: 'Melden Sie sich mit dieser Adresse an.' },
  },
  deadLink: {
    title: 'Dieser Link funktioniert nicht',
    unknown: 'Er ist unvollständig oder sehr alt. Prüfen Sie, ob Sie ihn ganz kopiert haben.',
    expired: 'Er ist abgelaufen.',
    newerSent: (at, now) =>
      line`Eine neuere Nachricht wurde gesendet: ${instants.moment(at, now)}. Verwenden Sie den Link darin.`,
    newerMade: (at, now) => line`Ein neuerer Link wurde erstellt: ${instants.moment(at, now)}. Verwenden Sie diesen.`,
    why: {
      used: 'Er wurde schon benutzt und funktioniert nur einmal.',
      replaced: 'Ein neuerer wurde erstellt.',
      withdrawn: 'Er wurde zurückgezogen.',
      password_changed: 'Das Passwort wurde danach geändert.',
      email_changed: 'Die E-Mail-Adresse wurde danach geändert.',
      role_changed: 'Die Rolle wurde danach geändert.',
      organization_changed: 'Die Organisation des Kontos wurde danach geändert.',
      signed_in: 'Sie haben sich inzwischen angemeldet und brauchten ihn nicht mehr.',
      restored: 'Er wurde erstellt, bevor der Dienst aus einer Sicherung wiederhergestellt wurde.',
      disabled: 'Das Konto wurde danach deaktiviert oder gelöscht.',
      deleted: 'Das Konto wurde danach deaktiviert oder gelöscht.',
    },
    closed: 'Wenn Sie das Konto brauchen, wenden Sie sich an Ihre Administration.',
    invitation: 'Wenn Sie noch kein Passwort haben, bitten Sie Ihre Administration um eine neue Einladung.',
    verification:
      'Wenn Ihre Adresse noch nicht bestätigt ist, melden Sie sich an, und fordern Sie einen weiteren Link an.',
    password_reset:
      'Wenn Sie noch ein neues Passwort brauchen, fordern Sie auf der Anmeldeseite einen weiteren Link an.',
    passwordResetWithoutMail:
      'Wenn Sie noch ein neues Passwort brauchen, bitten Sie Ihre Administration um einen weiteren Link.',
  },
  company: {
    continueWith: (company) => line`Weiter mit ${company}`,
    confirmWith: (company) => line`Mit ${company} bestätigen`,
    signInAgainWith: (company) => line`Erneut mit ${company} anmelden`,
    signInWith: (company) => line`Mit ${company} anmelden`,
    tryAgainWith: (company) => line`Erneut mit ${company} versuchen`,
    usernameAt: (company) => line`Benutzername oder E-Mail-Adresse bei ${company}`,
    otherWay: 'Auf anderem Weg anmelden',
    linkTitle: 'Verknüpfte Konten',
    linkIntro: (username) =>
      line`Sie sind als ${username} angemeldet. Mit einem verknüpften Konto können Sie sich ohne Ihr Passwort anmelden.`,
    linked: (company, account) => line`Verknüpft: ${strong(company)}, ${account}`,
    nowLinked: 'Das Konto ist verknüpft. Sie können sich von jetzt an damit anmelden.',
    none: 'Es gibt keine Firma, deren Konten verknüpft werden können.',
    link: (company) => line`Ein Konto von ${company} verknüpfen`,
    chooseThere: 'Melden Sie sich dort mit dem Konto an, das Sie verknüpfen möchten.',
    signInAndLink: 'Anmelden und verknüpfen',
  },
  reasons: {
    subject_invalid: { title: 'Die Anmeldung hat nicht funktioniert', detail: askAdministrator },
    user_removed: {
      title: 'Sie können sich nicht anmelden',
      detail: `Ihr Konto wurde gelöscht. ${askAdministrator}`,
    },
    user_inactive: {
      title: 'Sie können sich nicht anmelden',
      detail: `Ihr Konto ist deaktiviert. ${askAdministrator}`,
    },
    user_expired: { title: 'Sie können sich nicht anmelden', detail: `Ihr Zugang ist abgelaufen. ${askAdministrator}` },
    organization_disabled: {
      title: 'Sie können sich nicht anmelden',
      detail: `Der Zugang Ihrer Organisation ist abgeschaltet. ${askAdministrator}`,
    },
    other_organization: {
      title: 'Ihr Konto gehört nicht hierher',
      detail: `Ihr Konto gehört nicht zu der Organisation, die diesen Anmeldeweg nutzt. Wählen Sie auf der Anmeldeseite einen anderen. Sonst: ${askAdministrator}`,
    },
    not_linked: {
      title: 'Es gibt noch kein Konto für Sie',
      detail: `Melden Sie sich mit Ihrem Passwort an, falls Sie eines haben, und verknüpfen Sie diesen Anmeldeweg. Sonst: ${askAdministrator}`,
    },
    email_invalid: { title: 'Es gibt noch kein Konto für Sie', detail: askAdministrator },
    email_unverified: {
      title: 'Ihre E-Mail-Adresse ist nicht bestätigt',
      detail: `Bestätigen Sie sie dort, wo Sie sich gerade angemeldet haben, und versuchen Sie es dann erneut. Falls sie schon bestätigt ist: ${askAdministrator}`,
    },
    link_required: {
      title: 'Es gibt schon ein Konto mit Ihrer E-Mail-Adresse',
      detail: `Melden Sie sich wie gewohnt an und verknüpfen Sie dann diesen Anmeldeweg: Eine E-Mail-Adresse allein beweist nicht, dass beide Konten Ihnen gehören. Wenn Sie keinen anderen Weg haben: ${askAdministrator}`,
    },
    address_reassigned: {
      title: 'Ihre E-Mail-Adresse gehört noch zu einem anderen Konto',
      detail: `Eine andere Person hatte sie vor Ihnen, oder Sie haben dort, wo Sie sich anmelden, zwei Konten. ${askAdministrator}`,
    },
    role_not_mapped: { title: 'Ihr Konto ist noch nicht bereit', detail: askAdministrator },
    no_user: { title: 'Es gibt noch kein Konto für Sie', detail: askAdministrator },
    name_taken: { title: 'Die Anmeldung hat nicht funktioniert', detail: askAdministrator },
    identity_taken: {
      title: 'Dieses Konto ist mit einer anderen Person verknüpft',
      detail: `Wählen Sie dort, wo Sie sich anmelden, ein anderes Konto. ${askAdministrator}`,
    },
    other_user: {
      title: 'Das war ein anderes Konto',
      detail:
        'Bestätigen Sie mit dem Konto, das zum hier angemeldeten Benutzer gehört. Melden Sie sich dort zuerst ab, wenn Sie mehrere haben.',
    },
    used_before: {
      title: 'Die Anmeldung hat nicht funktioniert',
      detail: 'Beginnen Sie erneut auf der Anmeldeseite.',
    },
    wrong_password: {
      title: 'Der Benutzername oder das Passwort ist falsch',
      detail: 'Versuchen Sie es erneut oder melden Sie sich auf anderem Weg an.',
    },
    provider_unreachable: {
      title: 'Dieser Anmeldeweg funktioniert gerade nicht',
      detail: 'Versuchen Sie es in einem Moment erneut oder melden Sie sich auf anderem Weg an.',
    },
    provider_refused: {
      title: 'Sie wurden nicht angemeldet',
      detail:
        'Die Anmeldung wurde abgebrochen oder dort abgelehnt, wo Sie sich anmelden. Versuchen Sie es erneut oder melden Sie sich auf anderem Weg an.',
    },
    code_refused: {
      title: 'Die Anmeldung hat nicht funktioniert',
      detail: 'Beginnen Sie erneut auf der Anmeldeseite.',
    },
    token_invalid: { title: 'Die Anmeldung hat nicht funktioniert', detail: askAdministrator },
    not_recent: {
      title: 'Sie wurden nicht erneut gefragt',
      detail: 'Sie wurden dort ohne Nachfrage angemeldet. Melden Sie sich dort ab und versuchen Sie es dann erneut.',
    },
    expired: {
      title: 'Diese Anmeldung ist abgelaufen',
      detail: 'Sie hat zu lange gedauert oder war schon beendet. Beginnen Sie erneut auf der Anmeldeseite.',
    },
    other_browser: {
      title: 'Diese Anmeldung passt nicht zu diesem Browser',
      detail:
        'Sie wurde in einem anderen Browser begonnen, oder dieser hat ihr Cookie nicht behalten: Cookies sind gesperrt, oder zwei Anmeldungen begannen im selben Moment. Versuchen Sie es erneut und erlauben Sie dieser Website Cookies.',
    },
    inactive: {
      title: 'Dieser Anmeldeweg ist ausgeschaltet',
      detail: 'Wählen Sie auf der Anmeldeseite einen anderen.',
    },
    interrupted: {
      title: 'Die Anmeldung hat nicht funktioniert',
      detail: `Beginnen Sie erneut. Wenn es wieder nicht gelingt: ${askAdministrator}`,
    },
  },
  test: {
    title: 'Der Test ist abgeschlossen',
    outcomes: {
      signs_in: 'Der Benutzer würde angemeldet.',
      links: 'Das Konto würde mit einem vorhandenen Benutzer verknüpft, der dann angemeldet würde.',
      creates: 'Ein Benutzer würde angelegt und angemeldet.',
      refused: 'Die Anmeldung würde abgelehnt.',
      reachable: 'Das Verzeichnis kann durchsucht werden.',
    },
    details: {
      subject_invalid:
        'Die Antwort des Anbieters enthält keine brauchbare ID des Kontos (OpenID Connect: sub). Prüfen Sie, welchen Wert er als Kennung (Subject) sendet.',
      user_removed:
        'Der Benutzer mit dieser Identität wurde gelöscht. Stellen Sie ihn wieder her oder entfernen Sie die Identität.',
      user_inactive: 'Der Benutzer ist deaktiviert. Aktivieren Sie ihn, damit er sich anmelden kann.',
      user_expired:
        'Der Zugang des Benutzers ist abgelaufen: nach dem Enddatum hier oder nach dem Claim von expires_at_claim. Setzen Sie ein späteres Enddatum, damit er sich anmelden kann.',
      organization_disabled:
        'Die Organisation des Benutzers ist deaktiviert. Aktivieren Sie sie, damit sich ihre Benutzer anmelden können.',
      other_organization:
        'Der Benutzer gehört nicht zur Organisation dieser Verbindung. Verschieben Sie ihn dorthin, oder lassen Sie ihn sich anders anmelden.',
      not_linked:
        'Kein Benutzer hat diese Identität, und der Anbieter hat keine brauchbare E-Mail-Adresse gesendet. Lassen Sie den Benutzer sich anmelden und die Verbindung verknüpfen, oder lassen Sie den Anbieter den Claim email senden.',
      email_invalid: 'Die E-Mail-Adresse ist ungültig.',
      email_unverified:
        'Der Anbieter gibt nicht an, dass die Adresse bestätigt ist. Bei OpenID Connect muss email_verified true sein (Entra ID: xms_edov). Bei SAML und LDAP setzen Sie emails_verified, falls niemand dort die eigene Adresse ändern kann. Oder lassen Sie den Benutzer die Verbindung verknüpfen, während er angemeldet ist.',
      link_required:
        'Es gibt einen Benutzer mit dieser Adresse, und die Verbindung darf ihn nicht verknüpfen: Die Domain muss in trusted_domains stehen, und die Adresse muss auch hier bestätigt sein. Oder das Konto hat noch nie jemand benutzt. Der Benutzer kann die Verbindung verknüpfen, während er angemeldet ist, oder ein Administrator verknüpft dieses Konto (POST /users/{user_id}/identities).',
      address_reassigned:
        'Der Benutzer mit dieser Adresse hat ein anderes Konto dieser Verbindung: Der Anbieter hat die Adresse einer anderen Person gegeben. Sie wird erneuert, wenn sich dieser Benutzer das nächste Mal anmeldet; oder ändern Sie sie jetzt. Danach kann sich diese Person anmelden. Gehören beide Konten demselben Benutzer, verknüpfen Sie auch dieses (POST /users/{user_id}/identities).',
      role_not_mapped:
        'Der Benutzer hat Rechte, die diese Verbindung nicht geben darf. Hat er sich noch nie angemeldet, gehen sie über die Zuordnung hinaus: Verknüpfen Sie das Konto (POST /users/{user_id}/identities), oder nehmen Sie dem Benutzer die Rolle bis zur ersten Anmeldung. Eine Verbindung, die eine Organisation selbst eingerichtet hat, meldet nie Benutzer an, die mehr Rechte haben als der Administrator, der sie eingerichtet hat.',
      no_user:
        'Kein Benutzer hat diese Identität oder Adresse, und für diese Domain werden keine Benutzer angelegt. Legen Sie den Benutzer an oder fügen Sie die Domain zu provisioning_domains hinzu.',
      name_taken:
        'Der Benutzername eines Benutzers ist gleich dieser Adresse, und die Verbindung darf ihn nicht verknüpfen. Ändern Sie den Benutzernamen oder verknüpfen Sie das Konto (POST /users/{user_id}/identities).',
      identity_taken: 'Ein anderer Benutzer hat dieses Konto des Anbieters schon verknüpft.',
      other_user: 'Der Benutzer hat mit einem Konto des Anbieters bestätigt, das nicht mit ihm verknüpft ist.',
      used_before:
        'Diese Nachricht des Anbieters wurde schon verwendet. Sie könnte aus einem anderen Browser kopiert worden sein.',
    },
    notes: {
      subject: 'Kennung des Kontos, zusammen mit der Verbindung.',
      subject_attribute: 'Gelesen aus dem Attribut {name} des Eintrags.',
      subject_missing: 'Fehlt oder ist nicht brauchbar.',
      email_missing: 'Fehlt: Ohne Adresse wird kein Benutzer verknüpft oder angelegt.',
      email_malformed: 'Keine einfache E-Mail-Adresse und deshalb nicht beachtet.',
      domain_trusted: 'Domain {name}: Verknüpfungen sind erlaubt.',
      domain_untrusted: 'Domain {name}: Verknüpfungen sind nicht erlaubt.',
      domain_provisioned: 'Für diese Domain werden Benutzer angelegt.',
      domain_not_provisioned: 'Für diese Domain werden keine Benutzer angelegt.',
      address_verified: 'Der Anbieter gibt an, dass die Adresse bestätigt ist.',
      address_unverified: 'Die Adresse ist nicht als bestätigt angegeben.',
      entra_email_verified: 'Zählt bei Entra ID nicht; es zählt xms_edov.',
      addresses_verified: 'Adressen dieser Verbindung gelten als bestätigt (emails_verified).',
      addresses_unverified:
        'Adressen dieser Verbindung gelten nicht als bestätigt: emails_verified ist false, oder es gibt keine Adresse.',
      names: 'Vor- und Nachname eines neuen Benutzers.',
      first_name: 'Vorname eines neuen Benutzers.',
      last_name: 'Nachname eines neuen Benutzers.',
      login_ignored: 'Nicht verwendet: Anmeldenamen können den Besitzer wechseln.',
      username_ignored: 'Nicht beachtet: Die Adresse wird zum Benutzernamen eines neuen Benutzers.',
      group_names: 'Namen der Gruppen, auch verschachtelter.',
      group_dns: 'Dieselben Gruppen mit ihren Distinguished Names.',
      role_mapped: 'Ergibt die Rolle {name}.',
      role_unmatched: 'Passt zu keiner Rolle, deshalb gilt die Standardrolle: {name}.',
      role_missing:
        'Fehlt, deshalb bleibt die Rolle, wie sie ist; ein neuer Benutzer erhält die Standardrolle. Siehe missing_claims.',
      role_overage: 'Vom Anbieter weggelassen, weil es zu viele Werte sind: Die Rolle bleibt, wie sie ist.',
      role_unreadable:
        'Kein Text, keine Zahl, kein Wahrheitswert, keine Liste davon und kein Objekt: Die Rolle bleibt, wie sie ist.',
      groups_missing: 'Fehlt, deshalb bleiben die Gruppen, wie sie sind. Siehe missing_claims.',
      groups_overage: 'Vom Anbieter weggelassen, weil es zu viele Werte sind: Die Gruppen bleiben, wie sie sind.',
      groups_unreadable:
        'Kein Text, keine Zahl, kein Wahrheitswert, keine Liste davon und kein Objekt: Die Gruppen bleiben, wie sie sind.',
      groups_mapped: 'Gruppen der Zuordnung, in die der Benutzer kommt: {count} von {total}.',
      attribute_mapped: 'Setzt das Attribut {name}.',
      attribute_unmapped: 'Fehlt oder ist kein einfacher Wert: Das Attribut {name} bleibt, wie es ist.',
      expires_at_mapped: 'Der Zugang endet am {name}.',
      expires_at_never: 'Der Zugang endet nicht.',
      expires_at_missing: 'Fehlt, also bleibt das Enddatum, wie es ist. Siehe missing_claims.',
      expires_at_overage: 'Vom Anbieter weggelassen, weil es zu viel davon gibt: Das Enddatum bleibt, wie es ist.',
      expires_at_unreadable: 'Kein lesbares Datum: Das Enddatum bleibt, wie es ist.',
      factor: 'Zählt als zweiter Faktor, oder acr tut es.',
      no_factor: 'Zählt nicht als zweiter Faktor.',
      acr_ignored: 'Wird nicht beachtet.',
      acr_compared: 'Wird mit acr_values verglichen.',
      auth_time: 'Zeitpunkt der Anmeldung beim Anbieter.',
      auth_time_missing: 'Fehlt: Die Anmeldung gilt nicht als gerade erfolgt.',
    },
    connection: 'Verbindung',
    reason: 'Grund',
    username: 'Benutzername',
    email: 'E-Mail-Adresse',
    name: 'Vor- und Nachname',
    role: 'Rolle',
    groups: 'Gruppen',
    attributes: 'Attribute',
    missing: 'fehlt',
    nothing: 'Es kam nichts an, was geprüft werden konnte.',
    caption: 'Die angekommenen Claims',
    claim: 'Name des Claims',
    meaning: 'Wert und Bedeutung',
    foot: (number) =>
      line`Es wurde nichts geändert und keine Sitzung begonnen. Die Seite der Verbindung bewahrt dieses Ergebnis 14 Tage auf. Sie können diesen Tab schließen. Nummer der Anfrage: ${number}`,
  },
  account,
  setup,
  problems: {
    cross_origin: {
      title: 'Dieses Formular kam von einer anderen Website',
      detail: 'Öffnen Sie die Anmeldeseite selbst und versuchen Sie es dort erneut.',
    },
    ambiguous_credentials: {
      title: 'Ihr Browser hat zwei Sitzungen zugleich gesendet',
      detail: 'Melden Sie sich auf allen Seiten dieser Website ab und dann erneut an.',
    },
    malformed_request: {
      title: 'Das Formular kam nicht vollständig an',
      detail: 'Öffnen Sie die Seite erneut und füllen Sie das Formular dort aus.',
    },
    not_found: { title: 'Seite nicht gefunden', detail: 'Prüfen Sie die Adresse.' },
    link_ended: { title: 'Dieser Link funktioniert nicht', detail: 'Fordern Sie einen neuen an.' },
    expired_token: {
      title: 'Diese Anmeldung ist beendet',
      detail:
        'Sie ist abgelaufen, oder es wurde schon über sie entschieden. Beginnen Sie auf der Kommandozeile noch einmal.',
    },
    email_taken: {
      title: 'Diese Adresse gehört zu einem anderen Konto',
      detail: 'Melden Sie sich bei jenem Konto an oder wählen Sie für dieses eine andere Adresse.',
    },
    no_factor: { title: 'Es gibt keinen zweiten Faktor', detail: 'Fügen Sie zuerst einen hinzu.' },
    factor_not_found: {
      title: 'Das hat zu lange gedauert',
      detail: 'Beginnen Sie erneut, die Authenticator-App einzurichten.',
    },
    too_many_factors: {
      title: 'Sie haben zu viele zweite Faktoren',
      detail: 'Entfernen Sie einen, den Sie nicht mehr verwenden, und versuchen Sie es dann erneut.',
    },
    too_many_connections: {
      title: 'Es gibt zu viele Verbindungen',
      detail: 'Bitten Sie, wer Ihnen den Link geschickt hat, eine zu löschen, die nicht mehr gebraucht wird.',
    },
    too_many_keys: {
      title: 'Sie haben zu viele Schlüssel',
      detail: 'Widerrufen Sie einen in Ihrem Konto, und versuchen Sie es noch einmal.',
    },
    passkeys_unavailable: { title: 'Passkeys sind hier nicht verfügbar', detail: 'Wählen Sie einen anderen Weg.' },
    permission_denied: {
      title: 'Sie dürfen das nicht',
      detail: 'Bitten Sie Ihre Administration um die Berechtigungen, die dafür nötig sind.',
    },
    reauthentication_required: {
      title: 'Bestätigen Sie, dass Sie es sind',
      detail: 'Melden Sie sich erneut an und wiederholen Sie dann den letzten Schritt.',
    },
    validation_failed: {
      title: 'Ein Teil der Eingaben wird nicht angenommen',
      detail: 'Öffnen Sie die Seite erneut und füllen Sie das Formular dort aus.',
    },
    too_many_requests: { title: 'Zu viele Anfragen' },
    unavailable: { title: 'Der Dienst ist gerade nicht verfügbar' },
    secret_unreadable: {
      title: 'Ihr Code kann nicht geprüft werden.',
      detail:
        'Verwenden Sie einen Passkey oder einen Wiederherstellungscode, falls Sie einen haben, oder bitten Sie Ihre Administration um Hilfe.',
    },
    internal_error: { title: 'Bei uns ist ein Fehler aufgetreten', detail: 'Der Fehler wurde protokolliert.' },
    other: {
      title: 'Das hat nicht funktioniert',
      detail: 'Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
    },
  },
  cliLogin: {
    title: 'Kommandozeile anmelden?',
    asks: (username: string) =>
      line`Eine Kommandozeile bittet um einen Schlüssel, mit dem sie als ${strong(username)} handelt.`,
    machine: 'Rechner, wie er sich selbst nennt',
    from: 'Angefragt von',
    here: 'Sie sind hier',
    at: 'Angefragt um',
    may: 'Sie darf',
    mayNot: 'Sie darf nicht, weil Sie es nicht dürfen',
    everything: 'alles, was Sie dürfen',
    nothing: 'nur sehen, wer Sie sind',
    until: 'Bis',
    moment: (at: string, now: number) => instants.moment(at, now),
    otherNetwork:
      'Die Kommandozeile ist in einem anderen Netz als dieser Browser. Fahren Sie nur fort, wenn Sie das erwarten.',
    onlyIf: line`Fahren Sie nur fort, wenn Sie gerade selbst „rollbook login“ eingegeben haben. Hat Sie eine andere Person gebeten, diese Seite zu öffnen oder einen Code einzugeben, dann lehnen Sie ab.`,
    approve: 'Kommandozeile anmelden',
    refuse: 'Ablehnen',
    toCommandLine: 'Zurück zur Kommandozeile.',
    approvedTitle: 'Die Kommandozeile ist angemeldet',
    approvedDetail:
      'Sie können diese Seite schließen. Der Schlüssel steht in Ihrem Konto, wo Sie ihn widerrufen können.',
    refusedTitle: 'Sie haben abgelehnt',
    refusedDetail: 'Die Kommandozeile hat keinen Schlüssel erhalten. Sie können diese Seite schließen.',
    codeTitle: 'Eine Kommandozeile anmelden',
    code: 'Code der Kommandozeile',
    codeHint: line`Die acht Buchstaben, die die Kommandozeile anzeigt, zum Beispiel ${'WDJB-MJHT'}. Geben Sie nur einen Code ein, den Sie selbst angefordert haben.`,
    codeWrong: {
      title: 'Dieser Code ist nicht gültig.',
      detail: 'Prüfen Sie ihn, oder beginnen Sie auf der Kommandozeile noch einmal.',
    },
  },
  gateway: {
    silent: (product) => line`${product} antwortet nicht`,
    silentDetail: 'Warten Sie einige Sekunden und versuchen Sie es dann erneut. Sie bleiben angemeldet.',
    signedOut: 'Sie sind abgemeldet',
    signedOutDetail: 'Es wurde nichts gesendet. Melden Sie sich an und füllen Sie das Formular dann erneut aus.',
  },
}
