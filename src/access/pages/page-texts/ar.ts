import { html, type Text, writingIn } from '../../../lib/html.ts'
import { account } from './account/ar.ts'
import { durationIn, instantsIn, pluralsOf } from './counted.ts'
import type { Texts } from './en.ts'

const locale = 'ar'
const { isolated, line, strong } = writingIn('rtl')
const plural = pluralsOf(locale)
const duration = durationIn(locale)
const instants = instantsIn(locale)

const askAdministrator = 'تواصل مع المسؤول واذكر له الرقم أدناه.'
const otherWay = 'حاول مرة أخرى، أو اختر طريقة أخرى.'
const didNotWork = 'لم ينجح تسجيل الدخول'
const noAccount = 'لا يوجد حساب لك بعد'
const fromTheStart = 'ابدأ من جديد من صفحة تسجيل الدخول.'

export const ar: Texts = {
  page: {
    language: 'ar',
    error: (title: Text) => html`خطأ: ${title}`,
    languages: 'اللغة',
    show: 'إظهار',
    hide: 'إخفاء',
    value: isolated,
    showField: 'إظهار: {field}',
    hideField: 'إخفاء: {field}',
    nameOf: ({ name, username }) => (name === '' ? strong(username) : line`${strong(name)} (${username})`),
    quote: (number) => line`إذا طلبت المساعدة، فاذكر هذا الرقم: ${number}`,
    toSignIn: 'الانتقال إلى صفحة تسجيل الدخول',
    backToSignIn: 'العودة إلى صفحة تسجيل الدخول',
    tryAgain: 'إعادة المحاولة',
    back: 'رجوع',
    continue: 'متابعة',
    later: 'لاحقًا',
    startAgain: 'البدء من جديد',
    oneMoment: 'لحظة من فضلك',
    signedInAs: (username) => line`سجّلت الدخول باسم ${username}.`,
    missing: 'هناك بيانات ناقصة.',
    wait: (seconds) => `وقت الانتظار: ${duration(seconds)}. بعد ذلك حاول مرة أخرى.`,
  },
  acting: {
    label: 'التصرف باسم مستخدم آخر',
    as: ({ administrator, username, until, now }) =>
      line`${strong(administrator)}، أنت تتصرف باسم ${strong(username)} حتى ${instants.moment(until, now)}. لا يمكنك تغيير أي شيء.`,
    exit: 'إنهاء',
  },
  fields: {
    username: 'اسم المستخدم أو عنوان البريد الإلكتروني',
    password: 'كلمة المرور',
    currentPassword: 'كلمة المرور الحالية',
    newPassword: 'كلمة المرور الجديدة',
    newPasswordAgain: 'كلمة المرور الجديدة مرة أخرى',
    newPasswordHint: '15 حرفًا على الأقل. من السهل تذكّر بضع كلمات لا رابط بينها.',
    appCode: 'الرمز من تطبيق المصادقة',
    appCodeHint: 'ستة أرقام.',
    recoveryCode: 'رمز الاسترداد',
    recoveryCodeHint: 'يعمل كل رمز استرداد مرة واحدة.',
  },
  signIn: {
    title: 'تسجيل الدخول',
    submit: 'تسجيل الدخول',
    forgot: 'هل نسيت كلمة المرور؟',
    forgotAsk: 'هل نسيت كلمة المرور؟ اطلب من المسؤول أن يعيّن لك كلمة مرور جديدة.',
    firstAdministrator: html`لا يوجد مسؤول بعد. افتح الرابط الذي ظهر عند تشغيل الخدمة، أو اطلب هناك رابطًا جديدًا بالأمر
<code dir="ltr">rollbook admin link</code>`,
    nothingEntered: 'أدخل اسم المستخدم وكلمة المرور.',
    failed: {
      title: 'فشل تسجيل الدخول.',
      detail: 'تحقّق من اسم المستخدم وكلمة المرور. إذا استمر الفشل، فتواصل مع المسؤول.',
    },
    tooManyAttempts: 'محاولات كثيرة جدًا.',
    tooManyPeople: 'عدد كبير جدًا من المستخدمين يسجّلون الدخول في الوقت نفسه.',
    companyNext: (company) => line`تسجّل الدخول عبر ${company}.`,
  },
  signedIn: {
    title: 'سجّلت الدخول',
    passwordChanged: 'تم تغيير كلمة مرورك.',
    toProduct: (product) => line`المتابعة إلى ${product}`,
    changePassword: 'تغيير كلمة المرور',
    linkedAccounts: 'الحسابات المرتبطة',
  },
  signOut: {
    title: 'هل تريد تسجيل الخروج؟',
    submit: 'تسجيل الخروج',
    stay: 'البقاء مسجّل الدخول',
    done: 'سجّلت الخروج',
    doneDetail: 'لم يعد بإمكان من يستخدم هذا المتصفح استخدام حسابك.',
    again: 'تسجيل الدخول مرة أخرى',
    companyToo: 'سجّلت الخروج هنا، وسيُسجَّل خروجك من شركتك أيضًا.',
  },
  changePassword: {
    title: 'تغيير كلمة المرور',
    titleRequired: 'اختر كلمة مرور جديدة',
    required: 'عيّن شخص آخر كلمة مرورك الحالية. اختر كلمة مرور لا يعرفها سواك.',
    submit: 'تغيير كلمة المرور',
    consequence: 'تبقى مسجّل الدخول هنا، ويُسجَّل خروجك من كل مكان آخر.',
    failed: 'لم تتغيّر كلمة المرور.',
    currentWrong: 'هذه ليست كلمة مرورك الحالية.',
    notSame: 'كلمتا المرور الجديدتان غير متطابقتين.',
  },
  passwordFaults: {
    password_too_short: 'كلمة المرور أقصر من 15 حرفًا.',
    password_too_long: 'كلمة المرور أطول من 1024 بايت بترميز UTF-8.',
    password_too_common:
      'في كلمة المرور أحرف مختلفة قليلة جدًا، أو هي من أول ما يجرّبه المهاجمون: كلمات شائعة أو صفوف من المفاتيح أو تسلسلات أو تكرارات، ولا يكاد فيها غير ذلك.',
    password_contains_context:
      'بعد استبعاد الكلمات التي تخصّك أو تخصّ هذه الخدمة (اسم المستخدم وعنوان البريد والأسماء والمنتج)، يسهل تخمين ما يتبقى من كلمة المرور. أضف كلمات أخرى أو بعض الأحرف العشوائية.',
    password_malformed: 'تحتوي كلمة المرور على أحرف لا يمكن استخدامها. اختر كلمة مرور أخرى.',
    password_looks_like_hash: 'هذه تجزئة (hash) لكلمة مرور وليست كلمة مرور. اختر كلمة مرور أخرى.',
    same_as_before: 'كلمة المرور الجديدة هي نفسها الحالية. اختر كلمة مرور أخرى.',
    other: 'لا يمكن استخدام كلمة المرور هذه. اختر كلمة مرور أخرى.',
  },
  confirm: {
    title: 'أكّد أنك أنت',
    submit: 'تأكيد',
    useRecoveryCode: 'استخدام رمز استرداد',
    passwordWhy: 'أدخل كلمة مرورك للمتابعة.',
    codeMissing: 'أدخل رمزًا.',
    trust: (days) => {
      const period = plural(days, {
        one: 'لمدة يوم واحد',
        two: 'لمدة يومين',
        few: `لمدة ${days} أيام`,
        many: `لمدة ${days} يومًا`,
        other: `لمدة ${days} يوم`,
      })
      return `عدم السؤال مرة أخرى في هذا المتصفح ${period}. استخدم هذا على جهازك الخاص فقط.`
    },
    passwordWrong: { title: 'كلمة المرور خاطئة.', detail: 'أدخل كلمة مرورك الحالية.' },
    codeWrong: { title: 'لم يُقبل الرمز.', detail: 'أدخل الرمز الذي يعرضه التطبيق الآن. يعمل كل رمز مرة واحدة.' },
    recoveryCodeWrong: {
      title: 'لم يُقبل رمز الاسترداد.',
      detail: 'تحقّق من عدم وجود أخطاء في الكتابة. يعمل كل رمز استرداد مرة واحدة.',
    },
    expired: {
      title: 'استغرق ذلك وقتًا طويلًا، أو أُدخلت رموز خاطئة كثيرة.',
      detail: 'أدخل اسم المستخدم وكلمة المرور مرة أخرى.',
    },
  },
  passkeys: {
    signIn: 'تسجيل الدخول بمفتاح مرور',
    use: 'استخدام مفتاح مرور',
    useInstead: 'استخدام مفتاح مرور بدلًا من ذلك',
    needScripts: 'تحتاج مفاتيح المرور إلى JavaScript، وهو متوقف في هذا المتصفح.',
    notUsed: { title: 'لم يُستخدم أي مفتاح مرور.', detail: otherWay },
    notAccepted: {
      title: 'لم يُقبل مفتاح المرور.',
      detail: 'ربما أُزيل من حسابك. جرّب مفتاحًا آخر، أو اختر طريقة أخرى.',
    },
    expired: 'استغرق ذلك وقتًا طويلًا، أو فشل مرات كثيرة.',
    busy: { title: 'هذا غير ممكن الآن.', detail: 'انتظر لحظة ثم حاول مرة أخرى.' },
    unusable: {
      title: 'لا يستطيع هذا المتصفح استخدام مفتاح المرور هنا.',
      detail: 'جرّب متصفحًا آخر، أو اختر طريقة أخرى.',
    },
    notAdded: { title: 'لم يُضَف أي مفتاح مرور.', detail: otherWay },
    known: {
      title: 'في هذا الجهاز مفتاح مرور لحسابك بالفعل.',
      detail: 'سجّل الدخول به، أو اختر طريقة أخرى.',
    },
    newNotAccepted: {
      title: 'لم يُقبل مفتاح المرور.',
      detail: 'أعد تحميل هذه الصفحة. إذا لم ينفع ذلك، فاختر طريقة أخرى.',
    },
    cannotMake: {
      title: 'لا يستطيع هذا المتصفح إنشاء مفتاح مرور هنا.',
      detail: 'جرّب متصفحًا آخر، أو اختر طريقة أخرى.',
    },
  },
  addFactor: {
    title: 'إضافة عامل ثانٍ',
    why: ({ isRequired, from, mayUsePasskey }) => {
      const requires =
        from === null ? 'يشترط المسؤول عاملًا ثانيًا' : `سيشترط المسؤول عاملًا ثانيًا ابتداءً من ${instants.day(from)}`
      const ways = mayUsePasskey ? 'مفتاح مرور أو تطبيق مصادقة على هاتفك' : 'تطبيق مصادقة على هاتفك'
      const why = isRequired
        ? `${requires}، حتى لا تكفي كلمة مرور مسروقة.`
        : 'مع عامل ثانٍ لا تكفي كلمة مرور مسروقة لتسجيل الدخول باسمك.'
      return `${why} تحتاج إلى ${ways}.`
    },
    setUp: 'إعداد تطبيق مصادقة',
    setUpTitle: 'إعداد تطبيق المصادقة',
    scan: 'امسح هذه الصورة بالتطبيق، ثم أدخل الرمز الذي يعرضه.',
    picture: 'رمز QR لتطبيق المصادقة',
    thisDevice: 'على هذا الجهاز:',
    openApp: 'فتح التطبيق',
    orType: 'أو أدخل هذا المفتاح يدويًا:',
    code: 'الرمز من التطبيق',
    codeWrong: {
      title: 'الرمز خاطئ.',
      detail: 'أدخل الرمز الذي يعرضه التطبيق الآن، وتحقّق من ساعة الهاتف.',
    },
  },
  recoveryCodes: {
    offer: 'الحصول على رموز استرداد',
    used: 'استُخدم رمز استرداد',
    left: (left) =>
      plural(left, {
        zero: 'لم يبق لديك أي رمز استرداد. أنشئ رموزًا جديدة الآن.',
        one: 'بقي لديك رمز استرداد واحد.',
        two: 'بقي لديك رمزا استرداد.',
        few: `بقيت لديك ${left} رموز استرداد.`,
        many: `بقي لديك ${left} رمز استرداد.`,
        other: `بقي لديك ${left} رمز استرداد.`,
      }),
    lost: 'إذا فقدت هاتفك أو مفتاح المرور، فأزِله من حسابك وأضف غيره.',
    toAccount: 'الانتقال إلى حسابك',
    create: 'إنشاء رموز استرداد جديدة',
    why: 'برمز الاسترداد يمكنك تسجيل الدخول حتى لو فقدت هاتفك أو مفتاح المرور. تحصل على عشرة رموز، ويعمل كل منها مرة واحدة.',
    replaces: (left) =>
      plural(left, {
        one: 'لديك رمز واحد غير مستخدم تحل الرموز الجديدة محله.',
        two: 'لديك رمزان غير مستخدمين تحل الرموز الجديدة محلهما.',
        few: `لديك ${left} رموز غير مستخدمة تحل الرموز الجديدة محلها.`,
        many: `لديك ${left} رمزًا غير مستخدم تحل الرموز الجديدة محلها.`,
        other: `لديك ${left} رمز غير مستخدم تحل الرموز الجديدة محلها.`,
      }),
    show: 'إظهار رموز الاسترداد',
    keepOld: 'الاحتفاظ بالرموز التي لدي',
    title: 'احتفظ برموز الاسترداد',
    keep: 'يحل كل رمز من هذه الرموز مرة واحدة محل هاتف أو مفتاح مرور فقدته. اطبعها أو اكتبها؛ فهي لا تظهر إلا الآن.',
    kept: 'لقد احتفظت بها',
  },
  links: {
    welcome: (product) => line`مرحبًا بك في ${product}`,
    setTitle: 'تعيين كلمة مرور جديدة',
    choose: (username) => line`اختر كلمة مرور لحسابك ${strong(username)}.`,
    chooseNew: (username) => line`اختر كلمة مرور جديدة لحسابك ${strong(username)}.`,
    submit: 'تعيين كلمة المرور',
    signsOut: 'يؤدي هذا إلى تسجيل خروجك من كل مكان.',
    appCodeHint: 'لحسابك عامل ثانٍ. أدخل الأرقام الستة.',
    recoveryCodeHint: 'لحسابك عامل ثانٍ. يعمل كل رمز استرداد مرة واحدة.',
    failed: 'لم تُعيَّن كلمة المرور.',
    notSame: 'كلمتا المرور غير متطابقتين.',
    codeWrong: 'الرمز خاطئ أو استُخدم من قبل أو انتهت صلاحيته.',
    needNoPassword: {
      title: 'لا تحتاج إلى كلمة مرور.',
      detail: 'تسجّل الدخول عبر شركتك، لا بكلمة مرور.',
    },
    set: 'تم تعيين كلمة مرورك',
    changed: 'تم تغيير كلمة المرور',
    forgotIntro: 'أدخل اسم المستخدم أو عنوان بريدك الإلكتروني. ستصلك رسالة فيها رابط لتعيين كلمة مرور جديدة.',
    forgotSubmit: 'إرسال الرابط',
    forgotMissing: 'أدخل اسم المستخدم أو عنوان بريدك الإلكتروني.',
    sent: 'تحقّق من بريدك',
    sentDetail:
      'إذا كان هناك حساب بهذا الاسم وله عنوان بريد إلكتروني، فهناك رسالة فيها رابط في طريقها إليه. يعمل الرابط لمدة ساعة.',
    sentHelp: 'لم يصل شيء بعد بضع دقائق؟ ابحث في مجلد الرسائل غير المرغوب فيها، أو تحقّق من الاسم، أو تواصل مع المسؤول.',
    tryOther: 'تجربة اسم آخر',
    withoutMail: 'تواصل مع المسؤول: يمكنه أن يعطيك رابطًا لتعيين كلمة مرور جديدة.',
    confirmTitle: 'تأكيد عنوان بريدك الإلكتروني',
    confirmDetail: (email) => line`ستُرسل الرسائل المتعلقة بحسابك إلى ${strong(email)}.`,
    confirmSubmit: 'تأكيد العنوان',
    confirmed: 'تم تأكيد عنوان بريدك الإلكتروني',
    confirmedDetail: (email) => line`أصبح ${strong(email)} عنوانك الآن.`,
    signInFirst: 'سجّل الدخول أولًا',
    signInFirstDetail:
      'لا يمكن أن يؤكد العنوان إلا صاحبه. افتح الرابط في المتصفح الذي طلبته منه، أو في متصفح سجّلت الدخول فيه؛ أو سجّل الدخول هنا ثم افتحه مرة أخرى.',
  },
  deadLink: {
    title: 'هذا الرابط لا يعمل',
    unknown: 'الرابط غير مكتمل أو قديم جدًا. تحقّق من أنك نسخته كاملًا.',
    expired: 'انتهت صلاحيته.',
    newerSent: (at, now) => line`أُرسلت رسالة أحدث: ${instants.moment(at, now)}. استخدم الرابط الذي فيها.`,
    newerMade: (at, now) => line`أُنشئ رابط أحدث: ${instants.moment(at, now)}. استخدم ذلك الرابط.`,
    why: {
      used: 'سبق استخدامه، وهو يعمل مرة واحدة فقط.',
      replaced: 'أُنشئ رابط أحدث.',
      withdrawn: 'تم سحبه.',
      password_changed: 'تغيّرت كلمة المرور بعد إرساله.',
      email_changed: 'تغيّر عنوان البريد الإلكتروني بعد إرساله.',
      role_changed: 'تغيّر الدور بعد إرساله.',
      signed_in: 'سجّلت الدخول بعد إرساله، فلم تعد بحاجة إليه.',
      restored: 'أُنشئ قبل استعادة الخدمة من نسخة احتياطية.',
      disabled: 'عُطّل الحساب أو حُذف بعد إرساله.',
      deleted: 'عُطّل الحساب أو حُذف بعد إرساله.',
    },
    closed: 'إذا كنت بحاجة إلى الحساب، فتواصل مع المسؤول.',
    invitation: 'إذا لم تكن لديك كلمة مرور بعد، فاطلب من المسؤول دعوة جديدة.',
    verification: 'إذا لم يُؤكَّد عنوانك بعد، فسجّل الدخول واطلب رابطًا آخر.',
    password_reset: 'إذا كنت لا تزال بحاجة إلى كلمة مرور جديدة، فاطلب رابطًا آخر من صفحة تسجيل الدخول.',
    passwordResetWithoutMail: 'إذا كنت لا تزال بحاجة إلى كلمة مرور جديدة، فاطلب من المسؤول رابطًا آخر.',
  },
  company: {
    continueWith: (company) => line`المتابعة عبر ${company}`,
    confirmWith: (company) => line`التأكيد عبر ${company}`,
    signInAgainWith: (company) => line`تسجيل الدخول مرة أخرى عبر ${company}`,
    signInWith: (company) => line`تسجيل الدخول عبر ${company}`,
    tryAgainWith: (company) => line`إعادة المحاولة عبر ${company}`,
    usernameAt: (company) => line`اسم المستخدم أو عنوان البريد الإلكتروني لدى ${company}`,
    otherWay: 'تسجيل الدخول بطريقة أخرى',
    linkTitle: 'الحسابات المرتبطة',
    linkIntro: (username) => line`سجّلت الدخول باسم ${username}. بحساب مرتبط يمكنك تسجيل الدخول دون كلمة مرورك.`,
    linked: (company, account) => line`مرتبط: ${strong(company)}، ${account}`,
    nowLinked: 'تم ربط الحساب. يمكنك تسجيل الدخول به من الآن.',
    none: 'لا توجد شركة يمكن ربط حساباتها.',
    link: (company) => line`ربط حساب لدى ${company}`,
    chooseThere: 'سجّل الدخول هناك بالحساب الذي تريد ربطه.',
    signInAndLink: 'تسجيل الدخول ثم الربط',
  },
  reasons: {
    subject_invalid: { title: didNotWork, detail: askAdministrator },
    user_removed: { title: 'لا يمكنك تسجيل الدخول', detail: `تم حذف حسابك. ${askAdministrator}` },
    user_inactive: { title: 'لا يمكنك تسجيل الدخول', detail: `حسابك معطّل. ${askAdministrator}` },
    not_linked: {
      title: noAccount,
      detail: `سجّل الدخول بكلمة مرورك إن كانت لديك، ثم اربط طريقة الدخول هذه. وإلا: ${askAdministrator}`,
    },
    email_invalid: { title: noAccount, detail: askAdministrator },
    email_unverified: {
      title: 'عنوان بريدك الإلكتروني غير مؤكَّد',
      detail: `أكّده حيث سجّلت الدخول للتو، ثم حاول مرة أخرى. إذا كان مؤكَّدًا بالفعل: ${askAdministrator}`,
    },
    link_required: {
      title: 'يوجد حساب بعنوان بريدك الإلكتروني بالفعل',
      detail: `سجّل الدخول بالطريقة المعتادة، ثم اربط طريقة الدخول هذه: عنوان البريد وحده لا يثبت أن الحسابين لك. إذا لم تكن لديك طريقة أخرى: ${askAdministrator}`,
    },
    address_reassigned: {
      title: 'ما زال عنوان بريدك الإلكتروني تابعًا لحساب آخر',
      detail: `كان لشخص آخر قبلك، أو لديك حسابان حيث تسجّل الدخول. ${askAdministrator}`,
    },
    role_not_mapped: { title: 'حسابك غير جاهز بعد', detail: askAdministrator },
    no_user: { title: noAccount, detail: askAdministrator },
    name_taken: { title: didNotWork, detail: askAdministrator },
    identity_taken: {
      title: 'هذا الحساب مرتبط بشخص آخر',
      detail: `اختر حسابًا آخر حيث تسجّل الدخول. ${askAdministrator}`,
    },
    other_user: {
      title: 'كان ذلك حسابًا آخر',
      detail: 'أكّد بالحساب الذي يخص المستخدم المسجّل هنا. إذا كانت لديك عدة حسابات، فسجّل الخروج هناك أولًا.',
    },
    used_before: { title: didNotWork, detail: fromTheStart },
    wrong_password: {
      title: 'اسم المستخدم أو كلمة المرور خطأ',
      detail: 'حاول مرة أخرى، أو سجّل الدخول بطريقة أخرى.',
    },
    provider_unreachable: {
      title: 'طريقة الدخول هذه لا تعمل الآن',
      detail: 'حاول مرة أخرى بعد لحظة، أو سجّل الدخول بطريقة أخرى.',
    },
    provider_refused: {
      title: 'لم يُسجَّل دخولك',
      detail: 'أُلغي تسجيل الدخول، أو رُفض حيث تسجّل الدخول. حاول مرة أخرى، أو سجّل الدخول بطريقة أخرى.',
    },
    code_refused: { title: didNotWork, detail: fromTheStart },
    token_invalid: { title: didNotWork, detail: askAdministrator },
    not_recent: {
      title: 'لم تُسأل مرة أخرى',
      detail: 'سُجّل دخولك هناك دون أن تُسأل. سجّل الخروج هناك ثم حاول مرة أخرى.',
    },
    expired: {
      title: 'انتهت صلاحية محاولة الدخول هذه',
      detail: `استغرقت وقتًا طويلًا، أو اكتملت من قبل. ${fromTheStart}`,
    },
    other_browser: {
      title: 'محاولة الدخول هذه لا تخص هذا المتصفح',
      detail:
        'بدأت في متصفح آخر، أو لم يحتفظ هذا المتصفح بملف تعريف الارتباط الخاص بها: الملفات محظورة، أو بدأت محاولتا دخول في اللحظة نفسها. حاول مرة أخرى، واسمح بملفات تعريف الارتباط لهذا الموقع.',
    },
    inactive: {
      title: 'طريقة الدخول هذه متوقفة',
      detail: 'اختر طريقة أخرى في صفحة تسجيل الدخول.',
    },
    interrupted: { title: didNotWork, detail: `ابدأ من جديد. إذا فشل ذلك مرة أخرى: ${askAdministrator}` },
  },
  test: {
    title: 'اكتمل الاختبار',
    outcomes: {
      signs_in: 'كان المستخدم سيسجّل الدخول.',
      links: 'كان الحساب سيُربط بمستخدم موجود، ثم يُسجَّل دخوله.',
      creates: 'كان سيُنشأ مستخدم ويُسجَّل دخوله.',
      refused: 'كان تسجيل الدخول سيُرفض.',
      reachable: 'يمكن البحث في الدليل.',
    },
    details: {
      subject_invalid:
        'لا تحتوي استجابة المزوّد على معرّف صالح للحساب (في OpenID Connect: ‏sub). تحقّق من القيمة المضبوطة لديه معرّفًا للحساب.',
      user_removed: 'حُذف المستخدم صاحب هذه الهوية. استعد المستخدم، أو أزل الهوية.',
      user_inactive: 'المستخدم معطّل. فعّله ليتمكن من تسجيل الدخول.',
      not_linked:
        'لا يملك أي مستخدم هذه الهوية، ولم يرسل المزوّد عنوان بريد صالحًا. دع المستخدم يسجّل الدخول ويربط الاتصال، أو اجعل المزوّد يرسل المطالبة email.',
      email_invalid: 'عنوان البريد الإلكتروني غير صالح.',
      email_unverified:
        'لا يذكر المزوّد أن العنوان مؤكَّد. في OpenID Connect يجب أن تكون قيمة email_verified هي true (في Entra ID: ‏xms_edov). في SAML وLDAP اضبط emails_verified إذا كان الأشخاص لا يستطيعون تغيير عناوينهم هناك. أو دع المستخدم يربط الاتصال وهو مسجّل الدخول.',
      link_required:
        'يوجد مستخدم بهذا العنوان، ولا يُسمح للاتصال بربطه: يجب أن يكون النطاق ضمن trusted_domains، وأن يكون العنوان مؤكَّدًا هنا أيضًا، أو ألا يكون أحد قد استخدم الحساب بعد. يمكن للمستخدم ربط الاتصال وهو مسجّل الدخول، أو يربط مسؤول هذا الحساب (POST /users/{user_id}/identities).',
      address_reassigned:
        'للمستخدم صاحب هذا العنوان حساب آخر في هذا الاتصال، أي أن المزوّد أعطى العنوان لشخص آخر. يُجدَّد العنوان عندما يسجّل ذلك المستخدم الدخول في المرة القادمة، أو غيّره الآن. بعد ذلك يستطيع هذا الشخص تسجيل الدخول. إذا كان الحسابان للمستخدم نفسه، فاربط هذا الحساب أيضًا (POST /users/{user_id}/identities).',
      role_not_mapped:
        'لم يسجّل المستخدم صاحب هذا العنوان الدخول قط، ولديه صلاحيات لا يستطيع تعيين هذا الاتصال منحها. اربط الحساب (POST /users/{user_id}/identities)، أو انزع الدور عن المستخدم حتى أول تسجيل دخول.',
      no_user:
        'لا يملك أي مستخدم هذه الهوية أو هذا العنوان، ولا يُنشأ مستخدمون لهذا النطاق. أنشئ المستخدم، أو أضف النطاق إلى provisioning_domains.',
      name_taken:
        'اسم أحد المستخدمين يطابق هذا العنوان، ولا يُسمح للاتصال بربطه. غيّر اسم المستخدم، أو اربط الحساب (POST /users/{user_id}/identities).',
      identity_taken: 'سبق أن ربط مستخدم آخر هذا الحساب لدى المزوّد.',
      other_user: 'أكّد المستخدم بحساب لدى المزوّد غير مرتبط به.',
      used_before: 'سبق استخدام رسالة المزوّد هذه. ربما نُسخت من متصفح آخر.',
    },
    notes: {
      subject: 'يحدّد الحساب، مع الاتصال.',
      subject_attribute: 'مقروء من السمة {name} في الإدخال.',
      subject_missing: 'غير موجود، أو غير صالح للاستخدام.',
      email_missing: 'غير موجود: من دون عنوان لا يُربط أي مستخدم ولا يُنشأ.',
      email_malformed: 'ليس عنوان بريد إلكتروني بسيطًا، لذا يُتجاهل.',
      domain_trusted: 'النطاق {name}: موثوق للربط.',
      domain_untrusted: 'النطاق {name}: غير موثوق للربط.',
      domain_provisioned: 'يُنشأ مستخدمون لهذا النطاق.',
      domain_not_provisioned: 'لا يُنشأ مستخدمون لهذا النطاق.',
      address_verified: 'يذكر المزوّد أن العنوان مؤكَّد.',
      address_unverified: 'لا يُذكر أن العنوان مؤكَّد.',
      entra_email_verified: 'لا يُحتسب في Entra ID، بل يُحتسب xms_edov.',
      addresses_verified: 'تُعدّ عناوين هذا الاتصال مؤكَّدة (emails_verified).',
      addresses_unverified: 'لا تُعدّ عناوين هذا الاتصال مؤكَّدة: قيمة emails_verified هي false، أو لا يوجد عنوان.',
      names: 'الاسم الأول واسم العائلة للمستخدم الجديد.',
      first_name: 'الاسم الأول للمستخدم الجديد.',
      last_name: 'اسم العائلة للمستخدم الجديد.',
      login_ignored: 'غير مستخدم: قد تنتقل أسماء الدخول إلى أشخاص آخرين.',
      username_ignored: 'يُتجاهل: يصبح العنوان اسم المستخدم للمستخدم الجديد.',
      group_names: 'أسماء المجموعات، مع المجموعات المتداخلة.',
      group_dns: 'المجموعات نفسها بأسمائها المميِّزة (DN).',
      role_mapped: 'يمنح الدور {name}.',
      role_unmatched: 'لا يطابق أي دور، لذا يُستخدم الدور الافتراضي: {name}.',
      role_missing:
        'غير موجود، لذلك يبقى الدور كما هو؛ ويحصل المستخدم الجديد على الدور الافتراضي. انظر missing_claims.',
      role_overage: 'حذفه المزوّد لأن قيمه كثيرة جدًا: يبقى الدور كما هو.',
      role_unreadable: 'ليس نصًا ولا رقمًا ولا قيمة منطقية ولا قائمة منها ولا كائنًا: يبقى الدور كما هو.',
      groups_missing: 'غير موجود، لذلك تبقى المجموعات كما هي. انظر missing_claims.',
      groups_overage: 'حذفه المزوّد لأن قيمه كثيرة جدًا: تبقى المجموعات كما هي.',
      groups_unreadable: 'ليس نصًا ولا رقمًا ولا قيمة منطقية ولا قائمة منها ولا كائنًا: تبقى المجموعات كما هي.',
      groups_mapped: 'مجموعات التعيين التي ينضم إليها المستخدم: {count} من {total}.',
      attribute_mapped: 'يضبط السمة {name}.',
      attribute_unmapped: 'غير موجود، أو ليس قيمة بسيطة: تبقى السمة {name} كما هي.',
      factor: 'يُحتسب عاملًا ثانيًا، أو يُحتسب acr كذلك.',
      no_factor: 'لا يُحتسب عاملًا ثانيًا.',
      acr_ignored: 'لا يؤخذ في الاعتبار.',
      acr_compared: 'يُقارن بـ acr_values.',
      auth_time: 'وقت تسجيل دخول المستخدم لدى المزوّد.',
      auth_time_missing: 'غير موجود: لا يُعدّ تسجيل الدخول حديثًا.',
    },
    connection: 'الاتصال',
    reason: 'السبب',
    username: 'اسم المستخدم',
    email: 'عنوان البريد الإلكتروني',
    name: 'الاسم',
    role: 'الدور',
    groups: 'المجموعات',
    attributes: 'السمات',
    missing: 'غير موجودة',
    nothing: 'لم يصل شيء يمكن التحقق منه.',
    caption: 'المطالبات التي وصلت',
    claim: 'المطالبة',
    meaning: 'القيمة ومعناها',
    foot: (number) =>
      line`لم يتغيّر شيء، ولم تبدأ أي جلسة. تحتفظ صفحة الاتصال بهذه النتيجة 14 يومًا. يمكنك إغلاق علامة التبويب هذه. رقم الطلب: ${number}`,
  },
  account,
  problems: {
    cross_origin: {
      title: 'جاء هذا النموذج من موقع آخر',
      detail: 'افتح صفحة تسجيل الدخول بنفسك، وحاول مرة أخرى هناك.',
    },
    ambiguous_credentials: {
      title: 'أرسل متصفحك جلستين معًا',
      detail: 'سجّل الخروج من كل صفحات هذا الموقع، ثم سجّل الدخول مرة أخرى.',
    },
    malformed_request: { title: 'لم يصل النموذج كاملًا', detail: 'افتح الصفحة من جديد واملأ النموذج هناك.' },
    not_found: { title: 'الصفحة غير موجودة', detail: 'تحقّق من العنوان.' },
    link_ended: { title: 'هذا الرابط لا يعمل', detail: 'اطلب رابطًا جديدًا.' },
    email_taken: {
      title: 'هذا العنوان يخص حسابًا آخر',
      detail: 'سجّل الدخول إلى ذلك الحساب، أو اختر عنوانًا آخر لهذا الحساب.',
    },
    no_factor: { title: 'لا يوجد عامل ثانٍ', detail: 'أضف واحدًا أولًا.' },
    factor_not_found: { title: 'استغرق ذلك وقتًا طويلًا', detail: 'ابدأ إعداد تطبيق المصادقة من جديد.' },
    too_many_factors: {
      title: 'لديك عوامل ثانية كثيرة جدًا',
      detail: 'أزل عاملًا لم تعد تستخدمه، ثم حاول مرة أخرى.',
    },
    passkeys_unavailable: { title: 'مفاتيح المرور غير متاحة هنا', detail: 'اختر طريقة أخرى.' },
    permission_denied: {
      title: 'لا يُسمح لك بهذا',
      detail: 'اطلب من المسؤول الصلاحيات اللازمة لذلك.',
    },
    reauthentication_required: {
      title: 'أكّد أنك أنت',
      detail: 'سجّل الدخول مرة أخرى، ثم أعد ما كنت تفعله.',
    },
    validation_failed: { title: 'بعض ما أدخلته غير مقبول', detail: 'افتح الصفحة من جديد واملأ النموذج هناك.' },
    too_many_requests: { title: 'طلبات كثيرة جدًا' },
    unavailable: { title: 'الخدمة غير متاحة الآن' },
    secret_unreadable: {
      title: 'لا يمكن التحقق من رمزك.',
      detail: 'استخدم مفتاح مرور أو رمز استرداد إن كان لديك، أو اطلب المساعدة من المسؤول.',
    },
    internal_error: { title: 'حدث خطأ لدينا', detail: 'تم تسجيل الخطأ.' },
    other: { title: 'لم ينجح ذلك', detail: 'ارجع وأعد تحميل الصفحة، ثم حاول مرة أخرى.' },
  },
  gateway: {
    silent: (product) => line`${product} لا يستجيب`,
    silentDetail: 'انتظر بضع ثوانٍ ثم حاول مرة أخرى. تبقى مسجّل الدخول.',
    signedOut: 'سجّلت الخروج',
    signedOutDetail: 'لم يُرسل شيء. سجّل الدخول، ثم املأ النموذج مرة أخرى.',
  },
}
