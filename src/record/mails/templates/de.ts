import type { MailKind } from '../kinds.ts'

const notYou =
  '> Wenn Sie das nicht waren, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Setzen Sie Ihr Passwort zurück und informieren Sie Ihre Administration.'

export const de: Readonly<Record<MailKind, string>> = {
  invitation: `Subject: Sie sind zu {{product}} eingeladen
Summary: Wählen Sie ein Passwort für Ihr Konto {{username}}.

# Willkommen bei {{product}}

Guten Tag {{name}}, für Sie wurde ein Konto angelegt. Ihr Benutzername ist {{username}}.

Wählen Sie ein Passwort, um die Einrichtung abzuschließen.

[Einladung annehmen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Leiten Sie diese Nachricht nicht weiter: Der Link gehört nur Ihnen.

> Wenn Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren.`,
  verification: `Subject: Bestätigen Sie Ihre E-Mail-Adresse für {{product}}
Summary: Bestätigen Sie, dass {{email}} Ihre Adresse ist.

# E-Mail-Adresse bestätigen

Guten Tag {{name}}, bitte bestätigen Sie, dass {{email}} Ihre Adresse ist.

Öffnen Sie den Link in dem Browser, in dem Sie angemeldet sind.

[Adresse bestätigen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Wenn Sie diese Nachricht nicht angefordert haben, können Sie sie ignorieren.`,
  password_reset: `Subject: Neues Passwort für {{product}} festlegen
Summary: Der Link funktioniert einmal, bis {{expires}}.

# Neues Passwort festlegen

Guten Tag {{name}}, für Ihr Konto {{username}} wurde ein neues Passwort angefordert.

[Neues Passwort festlegen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Leiten Sie diese Nachricht nicht weiter: Der Link gehört nur Ihnen.

> Wenn Sie diese Nachricht nicht angefordert haben, können Sie sie ignorieren. Ihr Passwort bleibt unverändert.`,
  sign_in_code: `Subject: {{code}} ist Ihr Code für {{product}}
Summary: Geben Sie ihn bis {{expires}} in dem Browser ein, in dem Sie sich anmelden.

# Ihr Anmeldecode

Guten Tag {{name}}, um sich bei {{product}} ({{site}}) als {{username}} anzumelden, geben Sie diesen Code in dem Browser ein, in dem Sie ihn angefordert haben:

# {{code}}

Angefordert wurde er mit {{device}}, von der Adresse {{address}}. Der Code gilt einmal, bis {{expires}}.

> Geben Sie den Code nicht weiter, und geben Sie ihn nur auf {{site}} ein. {{product}} fragt nie am Telefon oder in einer Nachricht danach.

> Wenn Sie diese Nachricht nicht angefordert haben, können Sie sie ignorieren: Ohne den Code ist keine Anmeldung möglich.`,
  password_changed: `Subject: Ihr Passwort für {{product}} wurde geändert
Summary: Passwort geändert am {{time}}.

# Ihr Passwort wurde geändert

Guten Tag {{name}}, das Passwort Ihres Kontos {{username}} wurde am {{time}} geändert.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  email_changed: `Subject: Ihre E-Mail-Adresse für {{product}} wurde geändert
Summary: Nachrichten zu Ihrem Konto gehen seit {{time}} an {{email}}.

# Ihre E-Mail-Adresse wurde geändert

Guten Tag {{name}}, Nachrichten zu Ihrem Konto {{username}} gehen jetzt an {{email}} und nicht mehr an diese Adresse. Geändert wurde sie am {{time}}.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

> Wenn Sie das nicht waren, informieren Sie sofort Ihre Administration: Ihr Konto wurde möglicherweise übernommen.`,
  email_requested: `Subject: Ihre E-Mail-Adresse wurde für ein anderes Konto bei {{product}} angegeben
Summary: Sie bleibt bei Ihrem Konto {{username}}. Angefragt am {{time}}.

# Ihre E-Mail-Adresse wurde für ein anderes Konto angegeben

Guten Tag {{name}}, am {{time}} wollte jemand diese Adresse einem anderen Konto bei {{product}} hinzufügen. Sie gehört zu Ihrem Konto {{username}}, deshalb hat das andere Konto sie nicht erhalten.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, ändern Sie zuerst die Adresse des Kontos {{username}}, oder verwenden Sie dieses Konto.

> Wenn Sie das nicht waren, müssen Sie nichts tun. Ihr Konto wurde nicht geändert.`,
  email_renewed: `Subject: Ihre E-Mail-Adresse für {{product}} wurde erneuert
Summary: Ihre Firma hat am {{time}} {{email}} als Ihre Adresse angegeben.

# Ihre Firma hat Ihre E-Mail-Adresse geändert

Guten Tag {{name}}, Nachrichten zu Ihrem Konto {{username}} gehen jetzt an {{email}}. Ihre Firma hat diese Adresse bei Ihrer Anmeldung am {{time}} angegeben.

[Zu Ihrem Konto]({{account}})

> Wenn das nicht Ihre Adresse ist, informieren Sie Ihre Administration.`,
  identity_linked: `Subject: Sie können sich bei {{product}} mit {{connection}} anmelden
Summary: Am {{time}} wurde ein Konto von {{connection}} mit Ihrem verknüpft.

# Ein Konto wurde mit Ihrem verknüpft

Guten Tag {{name}}, am {{time}} hat jemand aus der Administration ein Konto von {{connection}} mit Ihrem Konto {{username}} verknüpft. Sie können sich ab jetzt damit anmelden.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das nicht erwartet haben, informieren Sie eine andere Person der Administration: Mit einem falschen Konto könnte sich jemand als Sie anmelden.`,
  impersonated: `Subject: Ein Administrator hat {{product}} mit Ihrem Konto angesehen
Summary: {{administrator}} hat sich am {{time}} mit Ihrem Konto angemeldet. Grund: {{reason}}

# Ein Administrator handelt als Sie

Guten Tag {{name}}, der Administrator {{administrator}} hat sich am {{time}} für höchstens eine Stunde mit Ihrem Konto {{username}} angemeldet.

Angegebener Grund: {{reason}}

Er sieht, was Sie sehen. Ihr Passwort, Ihre E-Mail-Adresse und alles andere an Ihrem Konto kann er so nicht ändern.

[Zu Ihrem Konto]({{account}})

> Wenn Sie nicht um Hilfe gebeten haben, informieren Sie eine andere Person der Administration.`,
  new_sign_in: `Subject: Neue Anmeldung bei {{product}}
Summary: Neuer Browser: {{device}}, von der Adresse {{address}}, am {{time}}.

# Neue Anmeldung

Guten Tag {{name}}, Ihr Konto {{username}} wurde am {{time}} benutzt.

Neuer Browser: {{device}}, von der Adresse {{address}}.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  key_created: `Subject: Ein neuer API-Schlüssel für {{product}} wurde erstellt
Summary: API-Schlüssel „{{key}}“ erstellt am {{time}}.

# Neuer API-Schlüssel

Guten Tag {{name}}, mit Ihrem Konto {{username}} wurde am {{time}} der API-Schlüssel „{{key}}“ erstellt.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

> Wenn Sie das nicht waren, widerrufen Sie den Schlüssel, setzen Sie Ihr Passwort zurück und informieren Sie Ihre Administration.`,
  factor_added: `Subject: Ihrem Konto für {{product}} wurde ein zweiter Faktor hinzugefügt
Summary: Zweiter Faktor „{{factor}}“ hinzugefügt am {{time}}.

# Ein zweiter Faktor wurde hinzugefügt

Guten Tag {{name}}, mit „{{factor}}“ kann man sich jetzt bei Ihrem Konto {{username}} anmelden. Hinzugefügt wurde dieser Faktor am {{time}}.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  factor_removed: `Subject: Ein zweiter Faktor Ihres Kontos für {{product}} wurde entfernt
Summary: Zweiter Faktor „{{factor}}“ entfernt am {{time}}.

# Ein zweiter Faktor wurde entfernt

Guten Tag {{name}}, mit „{{factor}}“ kann man sich nicht mehr bei Ihrem Konto {{username}} anmelden. Entfernt wurde dieser Faktor am {{time}}.

[Zu Ihrem Konto]({{account}})

> Wenn Sie ihn entfernt oder Ihre Administration darum gebeten haben, müssen Sie nichts tun.

${notYou}`,
  factors_reset: `Subject: Alle zweiten Faktoren Ihres Kontos für {{product}} wurden entfernt
Summary: Alle zweiten Faktoren und Wiederherstellungscodes entfernt am {{time}}.

# Alle zweiten Faktoren wurden entfernt

Guten Tag {{name}}, Ihre Administration hat am {{time}} alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos {{username}} entfernt.

Zum Anmelden genügt jetzt möglicherweise Ihr Passwort. Melden Sie sich an und fügen Sie einen neuen zweiten Faktor hinzu.

[Zu Ihrem Konto]({{account}})

> Wenn Sie nicht darum gebeten haben, informieren Sie sofort Ihre Administration.`,
  recovery_code_used: `Subject: Ein Wiederherstellungscode für {{product}} wurde benutzt
Summary: Wiederherstellungscode benutzt am {{time}}. Übrige Codes: {{remaining}}.

# Ein Wiederherstellungscode wurde benutzt

Guten Tag {{name}}, am {{time}} wurde ein Wiederherstellungscode Ihres Kontos {{username}} benutzt.

Übrige Wiederherstellungscodes: {{remaining}}. Melden Sie sich an und erstellen Sie neue; sie ersetzen die übrigen.

[Zu Ihrem Konto]({{account}})

> Wenn Sie Ihr Telefon oder Ihren Sicherheitsschlüssel verloren haben, entfernen Sie auch diese aus Ihrem Konto.

${notYou}`,
  recovery_codes_replaced: `Subject: Neue Wiederherstellungscodes für {{product}} wurden erstellt
Summary: Neue Wiederherstellungscodes erstellt am {{time}}. Frühere funktionieren nicht mehr.

# Neue Wiederherstellungscodes wurden erstellt

Guten Tag {{name}}, für Ihr Konto {{username}} wurden am {{time}} neue Wiederherstellungscodes erstellt. Frühere funktionieren nicht mehr.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  connection_changed: `Subject: Die Anmeldung von {{connection}} an {{product}} wurde geändert
Summary: Firmenanmeldung „{{connection}}“ geändert am {{time}}.

# Eine Firmenanmeldung wurde geändert

Guten Tag {{name}}, die Verbindung „{{connection}}“, über die man sich bei {{product}} anmeldet, wurde am {{time}} geändert. Sie erfahren das, weil Sie {{product}} als {{username}} administrieren.

Wer eine Verbindung beherrscht, kann sich als ihre Benutzer ausgeben.

[Zu Ihrem Konto]({{account}})

> Wenn das niemand aus der Administration vorhatte, deaktivieren Sie die Verbindung und sehen Sie im Protokoll nach, wer sie geändert hat.`,
  certificate_expiring: `Subject: Ein Zertifikat von {{connection}} läuft bald ab
Summary: Zertifikat von „{{connection}}“ läuft ab am {{time}}.

# Ein Zertifikat läuft bald ab

Guten Tag {{name}}, ein Zertifikat der Verbindung „{{connection}}“ zu {{product}} läuft am {{time}} ab. Ab dann können sich ihre Benutzer nicht mehr anmelden.

Lassen Sie sich vom Anbieter das nächste Zertifikat geben und fügen Sie es der Verbindung vorher hinzu. Beide gelten nebeneinander.

[Zu Ihrem Konto]({{account}})

> Sie erfahren das, weil Sie {{product}} als {{username}} administrieren.`,
  access_ending: `Subject: Ihr Zugang zu {{product}} endet bald
Summary: Ihr Zugang endet am {{time}}.

# Ihr Zugang endet bald

Guten Tag {{name}}, Ihr Zugang zu {{product}} als {{username}} endet am {{time}}. Ab dann können Sie sich nicht mehr anmelden.

Wenn Sie den Zugang länger brauchen, wenden Sie sich vorher an Ihre Administration.

[Zu Ihrem Konto]({{account}})`,
  access_endings: `Subject: Der Zugang zu {{product}} endet bald für einige Benutzer
Summary: Der Zugang dieser Benutzer endet innerhalb einer Woche.

# Zugänge enden bald

Guten Tag {{name}}, der Zugang dieser Benutzer von {{product}} endet innerhalb einer Woche:

{{users}}

Setzen Sie ein späteres Enddatum für alle, die den Zugang länger brauchen.

[Zu Ihrem Konto]({{account}})

> Sie bekommen diese Nachricht höchstens einmal am Tag, weil Sie als {{username}} Benutzer von {{product}} ändern dürfen. Sie entstand am {{time}}.`,
  inactivity_notice: `Subject: Ihr Konto bei {{product}} wird deaktiviert
Summary: Ihr Konto wird am {{time}} deaktiviert, wenn Sie sich nicht anmelden.

# Melden Sie sich an, um Ihr Konto zu behalten

Guten Tag {{name}}, Sie haben {{product}} als {{username}} lange nicht benutzt. Ihr Konto wird am {{time}} deaktiviert, wenn Sie sich vorher nicht anmelden.

[Zu Ihrem Konto]({{account}})

> Wenn Sie das Konto nicht mehr brauchen, müssen Sie nichts tun.`,
  membership_ending: `Subject: Ihre Mitgliedschaft in einer Gruppe bei {{product}} endet bald
Summary: Ihre Mitgliedschaft in {{group}} endet am {{time}}.

# Ihre Mitgliedschaft in einer Gruppe endet bald

Guten Tag {{name}}, Ihr Konto {{username}} bei {{product}} ist bis zum {{time}} in der Gruppe {{group}}. Ab dann haben Sie nicht mehr, was diese Gruppe erlaubt.

Wenn Sie es länger brauchen, wenden Sie sich vorher an Ihre Administration.

[Zu Ihrem Konto]({{account}})`,
  notices: `Subject: Änderungen an Ihrem Konto für {{product}}
Summary: Mehrere Änderungen an Ihrem Konto {{username}}.

# Änderungen an Ihrem Konto

Guten Tag {{name}}, das ist mit Ihrem Konto {{username}} geschehen:

{{notices}}

[Zu Ihrem Konto]({{account}})

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  access_request: `Subject: Zugang zu {{product}} anfragen
Summary: Bestätigen Sie Ihre Adresse, und sagen Sie, wofür Sie Zugang brauchen.

# Zugang zu {{product}} anfragen

Diese Adresse wurde auf der Seite eingegeben, auf der man Zugang zu {{product}} anfragt.

Öffnen Sie die Seite, um die Adresse zu bestätigen und Ihre Anfrage zu senden. Danach entscheidet die Administration.

[Anfrage senden]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Leiten Sie diese Nachricht nicht weiter: Der Link gehört nur Ihnen.

> Wenn Sie keinen Zugang angefragt haben, können Sie diese Nachricht ignorieren. Es wurde nichts angelegt.`,
  access_known: `Subject: Sie haben ein Konto bei {{product}}
Summary: Melden Sie sich mit dieser Adresse an. Eine Anfrage ist nicht nötig.

# Sie haben schon ein Konto

Diese Adresse wurde auf der Seite eingegeben, auf der man Zugang zu {{product}} anfragt. Sie gehört schon zu einem Konto: Melden Sie sich damit an, und wählen Sie „Passwort vergessen?“, wenn Sie ein neues Passwort brauchen.

[Zu Ihrem Konto]({{account}})

> Wenn Sie sich nicht anmelden können, fragen Sie Ihre Administration.

> Wenn nicht Sie die Adresse eingegeben haben, müssen Sie nichts tun. Ihr Konto wurde nicht geändert.`,
  access_waiting: `Subject: Ihre Anfrage bei {{product}} wartet
Summary: Sie haben am {{time}} angefragt. Es wurde noch nicht entschieden.

# Ihre Anfrage wartet

Sie haben am {{time}} Zugang zu {{product}} angefragt. Die Administration hat noch nicht entschieden. Sie bekommen eine Nachricht, sobald es eine Entscheidung gibt.

> Wenn nicht Sie angefragt haben, können Sie diese Nachricht ignorieren.`,
  access_declined: `Subject: Ihre Anfrage bei {{product}} wurde abgelehnt
Summary: Entschieden am {{time}}.

# Ihre Anfrage wurde abgelehnt

Sie haben Zugang zu {{product}} angefragt. Die Administration hat Ihre Anfrage am {{time}} abgelehnt.

Grund: {{reason}}

> Wenn Sie das für ein Versehen halten, fragen Sie die Person, von der Sie {{product}} kennen.`,
  access_company: `Subject: Sie melden sich bei {{product}} mit {{connection}} an
Summary: Geben Sie Ihre Adresse auf der Anmeldeseite ein. Ein Passwort brauchen Sie hier nicht.

# Sie melden sich mit {{connection}} an

Sie haben Zugang zu {{product}} angefragt. Mit Ihrer Adresse meldet man sich über {{connection}} an: Geben Sie sie auf der Anmeldeseite ein. Ein Passwort brauchen Sie hier nicht.

[Zu Ihrem Konto]({{account}})

> Wenn Sie keinen Zugang angefragt haben, können Sie diese Nachricht ignorieren.`,
  access_requests: `Subject: Anfragen nach Zugang zu {{product}}
Summary: Anfragen warten auf eine Entscheidung.

# Es gibt Anfragen nach Zugang

Hallo {{name}}, Anfragen nach Zugang zu {{product}} warten auf eine Entscheidung.

[Anfragen ansehen]({{requests}})

> Sie bekommen diese Nachricht höchstens einmal in der Stunde, weil Sie als {{username}} Benutzer anlegen dürfen. Anfragen verfallen nach 30 Tagen.`,
  review_due: `Subject: Zugangsüberprüfung {{review}} ist bald fällig
Summary: Zugangsüberprüfung „{{review}}“ ist fällig am {{time}}.

# Eine Zugangsüberprüfung ist bald fällig

Guten Tag {{name}}, die Zugangsüberprüfung „{{review}}“ von {{product}} ist am {{time}} fällig, und über einige ihrer Zeilen ist noch nicht entschieden.

[Zu den Zugangsüberprüfungen]({{reviews}})

> Sie bekommen diese Nachricht, weil Sie als {{username}} in dieser Überprüfung entscheiden.`,
  setup_link: `Subject: {{product}} für {{organization}} einrichten
Summary: Domains, Anmeldung und Benutzer für {{organization}} einrichten. Sie brauchen kein Konto.

# {{product}} für {{organization}} einrichten

Sie können {{organization}} mit {{product}} verbinden, damit sich Ihre Kolleginnen und Kollegen so anmelden wie anderswo auch. Die Seite führt Sie Schritt für Schritt. Sie brauchen kein Konto.

[Einrichtung beginnen]({{link}})

> Der Link gilt bis {{expires}}, so oft Sie ihn brauchen. Wer ihn hat, bestimmt, wer sich für {{organization}} anmelden kann: Geben Sie ihn nur an die Person weiter, die sich in Ihrer Firma um die Anmeldung kümmert.

> Wenn Sie diese Nachricht nicht erwartet haben, fragen Sie die Person, von der Sie {{product}} kennen, oder ignorieren Sie sie.`,
  test: `Subject: Testnachricht von {{product}}
Summary: {{product}} kann E-Mails senden.

# Es funktioniert

Guten Tag {{name}}, diese Nachricht zeigt, dass {{product}} E-Mails senden kann. Sie wurde am {{time}} angefordert.`,
}
