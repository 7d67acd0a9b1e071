import { html, writingIn } from '../../../../lib/html.ts'
import { instantsIn, pluralsOf } from '../counted.ts'
import type { SetupTexts } from './en.ts'

const locale = 'de'
const { line, strong } = writingIn('ltr')
const plural = pluralsOf(locale)
const { moment } = instantsIn(locale)

export const setup: SetupTexts = {
  title: (product, organization) => line`${product} für ${organization} einrichten`,
  intro: (product) =>
    line`Verbinden Sie Ihre Firma mit ${product}, damit sich Ihre Kolleginnen und Kollegen so anmelden wie anderswo auch. Sie brauchen kein Konto. Sie können jederzeit aufhören und später mit demselben Link weitermachen.`,
  until: (expires, now) => line`Der Link gilt bis ${moment(expires, now)}.`,
  allDone: 'Alles ist eingerichtet. Sie können diese Seite schließen.',
  steps: 'Schritte',
  done: 'Fertig',
  open: 'Öffnen',
  toOverview: 'Zurück zur Übersicht',
  next: 'Nächster Schritt',
  copy: 'Kopieren',
  copyOf: (field) => line`${field} kopieren`,
  copied: 'Kopiert.',
  selected: 'Der Browser erlaubt das nicht. Der Text ist markiert: Kopieren Sie ihn selbst.',
  field: 'Feld',
  value: 'Wert',
  opensThere: (product) => line`${product} öffnen`,
  notDone: 'Das hat nicht geklappt.',
  outdated:
    'Diese Liste hat sich geändert, seit Sie die Seite geöffnet haben. Öffnen Sie, was begonnen wurde, oder wählen Sie noch einmal.',
  failed:
    'Versuchen Sie es noch einmal. Wenn es wieder nicht klappt, fragen Sie die Person, die Ihnen den Link geschickt hat.',
  askSender: 'Bitten Sie die Person, die Ihnen den Link geschickt hat, um einen neuen.',
  askWhy: 'Fragen Sie die Person, die Ihnen den Link geschickt hat.',
  dead: {
    unknown: 'Diesen Link gibt es nicht oder nicht mehr. Prüfen Sie, ob Sie ihn ganz kopiert haben.',
    expired: 'Der Link ist abgelaufen.',
    revoked: 'Der Link wurde zurückgezogen.',
    closed: 'Der Zugang ist für Ihre Organisation abgeschaltet.',
  },
  domains: {
    title: 'Domain nachweisen',
    why: 'Die Domain ist der Teil Ihrer E-Mail-Adressen hinter dem @. Ein Eintrag in ihrem DNS zeigt, dass sie Ihrer Firma gehört. Daran werden Ihre Kolleginnen und Kollegen erkannt.',
    none: 'Noch keine Domain',
    proved: (names) => line`${names}: nachgewiesen`,
    waiting: (names) => line`${names}: noch nicht nachgewiesen`,
    isProved: 'Nachgewiesen. Den Eintrag im DNS dürfen Sie entfernen.',
    add: 'Domain hinzufügen',
    addAnother: 'Weitere Domain hinzufügen',
    label: 'Domain',
    hint: html`Etwa <bdi dir="ltr">example.com</bdi>, ohne www und ohne @.`,
    invalid: 'Geben Sie eine Domain wie example.com ein.',
    where: (domain) =>
      line`Öffnen Sie die DNS-Einstellungen von ${strong(domain)}, dort, wo die Domain verwaltet wird: meist bei der Firma, bei der Sie sie registriert haben.`,
    entry: 'Fügen Sie einen DNS-Eintrag mit diesen Werten hinzu.',
    type: 'Typ',
    name: 'Name (Host)',
    content: 'Wert (Inhalt)',
    nameHint: (short) =>
      line`Manche Anbieter hängen die Domain selbst an. Geben Sie dann als Namen nur ${strong(short)} ein.`,
    check: 'Jetzt prüfen',
    press:
      'Drücken Sie die Taste. Ein neuer Eintrag lässt sich oft nach Minuten finden, manchmal erst nach einer Stunde.',
    remove: 'Diese Domain entfernen',
    added: 'Die Domain ist hinzugefügt. Weisen Sie sie nun nach.',
    removed: 'Die Domain ist entfernt.',
    verified: 'Der Eintrag ist da. Die Domain ist nachgewiesen.',
    found: {
      no_record:
        'Es gibt noch keinen solchen Eintrag. Wenn Sie ihn eben hinzugefügt haben, warten Sie einige Minuten und prüfen Sie noch einmal.',
      other_value: 'Es gibt einen Eintrag, aber mit einem anderen Wert. Kopieren Sie den Wert noch einmal von hier.',
      server_silent: 'Die Nameserver haben nicht rechtzeitig geantwortet. Prüfen Sie in einer Minute noch einmal.',
      server_failed:
        'Die Nameserver der Domain arbeiten gerade nicht. Prüfen Sie später noch einmal, oder fragen Sie Ihren DNS-Anbieter.',
      server_refused: 'Die Nameserver antworten nicht. Sagen Sie es der Person, die Ihnen den Link geschickt hat.',
      server_unreachable:
        'Die Nameserver sind von hier nicht erreichbar. Sagen Sie es der Person, die Ihnen den Link geschickt hat.',
      answer_unusable: 'Die Antwort der Nameserver ist unlesbar. Prüfen Sie in einer Minute noch einmal.',
    },
    taken:
      'Eine andere Firma hat diese Domain schon nachgewiesen. Fragen Sie die Person, die Ihnen den Link geschickt hat.',
    tooMany: 'Es sind zu viele Domains. Entfernen Sie eine, die Sie nicht brauchen.',
    tooOften: 'Sie haben sehr oft geprüft. Warten Sie eine Minute.',
  },
  company: {
    title: 'Anmeldung über Ihre Firma',
    why: 'Ihre Kolleginnen und Kollegen melden sich mit dem Konto an, das sie in Ihrer Firma schon haben. Wo sind diese Konten?',
    none: 'Noch nicht eingerichtet',
    draft: (name) => line`${name}: begonnen, noch nicht eingeschaltet`,
    active: (name) => line`${name}: eingeschaltet`,
    choose: 'Anbieter wählen',
    other: 'Anderer Anbieter (OpenID Connect)',
    otherSaml: 'Anderer Anbieter (SAML)',
    withSaml: 'Stattdessen mit SAML',
    withSamlWhy: 'Wählen Sie SAML nur, wenn Ihr Anbieter kein OpenID Connect hat.',
    proveFirst: 'Weisen Sie zuerst Ihre Domain nach. An ihr werden Ihre Kolleginnen und Kollegen erkannt.',
    startOver: 'Anderen Anbieter wählen',
    at: (product) => line`Bei ${product}`,
    atProvider: 'Bei Ihrem Anbieter',
    atWhy: (product) => line`Melden Sie ${product} dort mit den folgenden Werten an.`,
    paste: 'Eingeben, was Sie dort bekommen haben',
    findIt: 'Sie finden es hier:',
    issuer: 'Aussteller (Issuer)',
    clientId: 'Client-ID',
    clientSecret: 'Client-Secret',
    secretStored: 'Gespeichert. Lassen Sie das Feld leer, um es zu behalten.',
    secretAgain: 'Geben Sie das Client-Secret noch einmal ein: Die anderen Werte haben sich geändert.',
    metadataUrl: 'Adresse der Metadaten',
    metadata: 'Metadaten',
    metadataHint: 'Oder fügen Sie das XML-Dokument hier ein.',
    addressesFixed: 'Nur Administratoren können bei unserem Anbieter E-Mail-Adressen ändern',
    addressesFixedWhy:
      'Ihre Kolleginnen und Kollegen werden an ihrer Adresse erkannt, sie dürfen sie also nicht selbst wählen können.',
    addressesFixedMissing: 'Bestätigen Sie, dass bei Ihrem Anbieter nur Administratoren E-Mail-Adressen ändern können.',
    unconfirmed:
      'Ihr Anbieter sagt nicht, dass die E-Mail-Adresse bestätigt ist. Lassen Sie ihn email_verified senden, bei Entra ID xms_edov (siehe Schritt 1), und testen Sie noch einmal.',
    save: 'Speichern und prüfen',
    saved: 'Gespeichert. Testen Sie es nun.',
    looksOdd: 'Bitte prüfen Sie:',
    sureWhy: 'Stimmt es so? Dann speichern Sie noch einmal.',
    meant: (value) => line`Gemeint ist wohl ${strong(value)}`,
    refused: (label) => line`${label}: Dieser Wert wird nicht angenommen.`,
    missing: (label) => line`${label}: Geben Sie einen Wert ein.`,
    unreachable: 'Ihr Anbieter wurde unter dieser Adresse nicht gefunden. Prüfen Sie sie auf Tippfehler.',
    test: 'Testen',
    testWhy:
      'Sie gehen zu Ihrem Anbieter, melden sich dort mit Ihrem eigenen Konto an und kommen zurück. Sie sehen, was Ihr Anbieter geschickt hat. Es wird nichts geändert.',
    testNow: 'Anmeldung testen',
    testAgain: 'Noch einmal testen',
    testMissing: 'Speichern Sie zuerst die Werte.',
    tested: (at, now) => line`Getestet um ${moment(at, now)}:`,
    testedWell: 'Es funktioniert.',
    testedBadly: 'Es funktioniert noch nicht.',
    showTest: 'Zeigen, was Ihr Anbieter geschickt hat',
    toSetup: 'Zurück zur Einrichtung',
    switchOn: 'Einschalten',
    switchOnWhy: (domains) =>
      line`Von da an melden sich Personen mit Adressen von ${domains} über Ihre Firma an. Wer sich zum ersten Mal anmeldet, bekommt ein Konto.`,
    switchedOn: 'Die Anmeldung über Ihre Firma ist eingeschaltet.',
    isOn: (domains) => line`Eingeschaltet für ${domains}.`,
    signInHere: 'Die Anmeldeseite:',
    switchOff: 'Ausschalten',
    switchedOff: 'Die Anmeldung über Ihre Firma ist ausgeschaltet.',
    untested:
      'Die Anmeldung wurde noch nicht getestet, oder der letzte Test hat nicht geklappt. Testen Sie vor dem Einschalten.',
    domainTaken:
      'Eine andere Anmeldung Ihrer Firma hat diese Domain schon. Schalten Sie jene aus, oder fragen Sie die Person, die Ihnen den Link geschickt hat.',
    notYours:
      'Diese Anmeldung haben die Personen eingerichtet, die Ihnen den Link geschickt haben, und sie gibt weitere Rechte. Bitten Sie sie um die Änderung.',
  },
  provisioning: {
    title: 'Personen automatisch hinzufügen und entfernen (SCIM)',
    why: 'Ihr Anbieter sagt dem Produkt, wer kommt und wer geht, damit niemand versehentlich Zugang behält. Wo sind die Konten Ihrer Kolleginnen und Kollegen?',
    none: 'Noch nicht eingerichtet',
    waiting: (name) => line`${name}: Ihr Anbieter hat noch niemanden hinzugefügt`,
    working: (name, count) =>
      plural(count, {
        one: line`${name}: eine Person hinzugefügt`,
        other: line`${name}: ${String(count)} Personen hinzugefügt`,
      }),
    other: 'Anderer Anbieter (SCIM 2.0)',
    created: 'Der Schlüssel wird nur jetzt gezeigt',
    createdWhy:
      'Kopieren Sie Adresse und Schlüssel zu Ihrem Anbieter, bevor Sie diese Seite verlassen. Wer den Schlüssel hat, kann Personen hinzufügen und entfernen: Verwahren Sie ihn wie ein Passwort.',
    address: 'Adresse',
    key: 'Schlüssel',
    keyGone: 'der Schlüssel, der zu Beginn gezeigt wurde',
    haveCopied: 'Ich habe beides kopiert',
    steps: 'Bei Ihrem Anbieter',
    check: 'Funktioniert es?',
    nobody:
      'Ihr Anbieter hat noch niemanden hinzugefügt. Weisen Sie dort eine Person zu und prüfen Sie dann noch einmal.',
    lastContact: (at, now) => line`Ihr Anbieter hat sich zuletzt um ${moment(at, now)} verbunden.`,
    noContact: 'Ihr Anbieter hat sich noch nicht verbunden. Testen Sie dort die Verbindung.',
    arrived: (username, at, now) => line`Ihr Anbieter hat zuletzt ${username} hinzugefügt, um ${moment(at, now)}.`,
    rejected: (at, now) => line`Eine Anfrage Ihres Anbieters wurde um ${moment(at, now)} abgelehnt:`,
    rejectedWhy:
      'Berichtigen Sie das bei Ihrem Anbieter. Wenn Sie es nicht können, fragen Sie die Person, die Ihnen den Link geschickt hat, und schicken Sie ihr diesen Text.',
    checkAgain: 'Noch einmal prüfen',
    newKey: 'Schlüssel verloren? Noch einmal beginnen',
    newKeyWhy: 'Der alte Schlüssel gilt dann nicht mehr, und Sie bekommen einen neuen.',
  },
}
