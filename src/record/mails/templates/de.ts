import type { MailKind } from '../kinds.ts'

const notYou =
  '> Wenn Sie das nicht waren, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Setzen Sie Ihr Passwort zurück und informieren Sie Ihre Administration.'

export const de: Readonly<Record<MailKind, string>> = {
  invitation: `Subject: Sie sind zu {{product}} eingeladen

# Willkommen bei {{product}}

Guten Tag {{name}}, für Sie wurde ein Konto angelegt. Ihr Benutzername ist {{username}}.

Wählen Sie ein Passwort, um die Einrichtung abzuschließen.

[Einladung annehmen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Leiten Sie diese Nachricht nicht weiter: Der Link gehört nur Ihnen.

> Wenn Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren.`,
  verification: `Subject: Bestätigen Sie Ihre E-Mail-Adresse für {{product}}

# E-Mail-Adresse bestätigen

Guten Tag {{name}}, bitte bestätigen Sie, dass {{email}} Ihre Adresse ist.

Öffnen Sie den Link in dem Browser, in dem Sie angemeldet sind.

[Adresse bestätigen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Wenn Sie diese Nachricht nicht angefordert haben, können Sie sie ignorieren.`,
  password_reset: `Subject: Neues Passwort für {{product}} festlegen

# Neues Passwort festlegen

Guten Tag {{name}}, für Ihr Konto {{username}} wurde ein neues Passwort angefordert.

[Neues Passwort festlegen]({{link}})

> Der Link funktioniert einmal, bis {{expires}}. Leiten Sie diese Nachricht nicht weiter: Der Link gehört nur Ihnen.

> Wenn Sie diese Nachricht nicht angefordert haben, können Sie sie ignorieren. Ihr Passwort bleibt unverändert.`,
  password_changed: `Subject: Ihr Passwort für {{product}} wurde geändert

# Ihr Passwort wurde geändert

Guten Tag {{name}}, das Passwort Ihres Kontos {{username}} wurde am {{time}} geändert.

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  email_changed: `Subject: Ihre E-Mail-Adresse für {{product}} wurde geändert

# Ihre E-Mail-Adresse wurde geändert

Guten Tag {{name}}, Nachrichten zu Ihrem Konto {{username}} gehen jetzt an {{email}} und nicht mehr an diese Adresse. Geändert wurde sie am {{time}}.

> Wenn Sie das waren, müssen Sie nichts tun.

> Wenn Sie das nicht waren, informieren Sie sofort Ihre Administration: Ihr Konto wurde möglicherweise übernommen.`,
  new_sign_in: `Subject: Neue Anmeldung bei {{product}}

# Neue Anmeldung

Guten Tag {{name}}, Ihr Konto {{username}} wurde am {{time}} in einem unbekannten Browser benutzt: {{device}}, von der Adresse {{address}}.

> Wenn Sie das waren, müssen Sie nichts tun.

${notYou}`,
  key_created: `Subject: Ein neuer API-Schlüssel für {{product}} wurde erstellt

# Neuer API-Schlüssel

Guten Tag {{name}}, mit Ihrem Konto {{username}} wurde am {{time}} der API-Schlüssel „{{key}}“ erstellt.

> Wenn Sie das waren, müssen Sie nichts tun.

> Wenn Sie das nicht waren, widerrufen Sie den Schlüssel, setzen Sie Ihr Passwort zurück und informieren Sie Ihre Administration.`,
  test: `Subject: Testnachricht von {{product}}

# Es funktioniert

Guten Tag {{name}}, diese Nachricht zeigt, dass {{product}} E-Mails senden kann. Sie wurde am {{time}} angefordert.`,
}
