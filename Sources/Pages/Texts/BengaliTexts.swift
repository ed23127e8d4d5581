// U+2060 keeps an ending on the line of the name that it belongs to.
extension PageTexts {
    static let bengali = Self(
        error: "ত্রুটি",
        signInTitle: "{{>applicationInTitle}}-\u{2060}এ সাইন ইন করুন",
        signInHeading: "{{>application}}-\u{2060}এ সাইন ইন করুন",
        signInChoose: "যে অ্যাকাউন্ট দিয়ে সাইন ইন করতে চান, সেটি বেছে নিন।",
        signInWithOne: "আপনার {{>provider}} অ্যাকাউন্ট দিয়ে সাইন ইন করা হবে।",
        linkTitle: "{{>applicationInTitle}}-\u{2060}এ সাইন ইন করার আরেকটি উপায় যোগ করুন",
        linkHeading: "{{>application}}-\u{2060}এ সাইন ইন করার আরেকটি উপায় যোগ করুন",
        linkChoose: "এরপর থেকে আপনার বেছে নেওয়া অ্যাকাউন্ট দিয়েও সাইন ইন করতে পারবেন।",
        linkWithOne: "এরপর থেকে আপনার {{>provider}} অ্যাকাউন্ট দিয়েও সাইন ইন করতে পারবেন।",
        reauthenticateTitle: "{{>applicationInTitle}}-\u{2060}এর জন্য নিশ্চিত করুন যে এটি আপনিই",
        reauthenticateHeading: "{{>application}}-\u{2060}এর জন্য নিশ্চিত করুন যে এটি আপনিই",
        linkAccount: "সেটি দিয়ে {{>application}}-\u{2060}এর এই অ্যাকাউন্টটি খোলা যাবে:",
        reauthenticateAccount: "{{>application}}-\u{2060}এর এই অ্যাকাউন্টের জন্য নিশ্চিত করছেন:",
        guestAccount: "অতিথি অ্যাকাউন্ট, যার শেষ অক্ষরগুলো {{>uidEnd}}",
        unnamedAccount: "অ্যাকাউন্ট, যার শেষ অক্ষরগুলো {{>uidEnd}}",
        accountCaution: "আপনি নিজে এইমাত্র এটি শুরু করে থাকলে এবং এই অ্যাকাউন্টটি আপনার হলে তবেই এগিয়ে যান।",
        continueWith: "{{>provider}} দিয়ে এগিয়ে যান",
        cancel: "বাতিল করুন",
        destinationWebsite: "এরপর আপনাকে {{>host}}-\u{2060}এ ফিরিয়ে নেওয়া হবে।",
        destinationApplication: "এরপর আপনাকে এই ডিভাইসের একটি অ্যাপ্লিকেশনে ({{>scheme}}) ফিরিয়ে নেওয়া হবে।",
        destinationThisDevice: "এরপর আপনাকে এই ডিভাইসের একটি অ্যাপ্লিকেশনে ফিরিয়ে নেওয়া হবে।",
        signInCaution: "আপনি নিজে এইমাত্র এটি শুরু করে থাকলে তবেই এগিয়ে যান।",
        enterCodeHeading: "আপনার ডিভাইসে দেখানো কোডটি লিখুন",
        enterCodeLead: "যে ডিভাইসে সাইন ইন করতে চান, সেখানে একটি কোড দেখা যাচ্ছে। কোডটি এখানে লিখুন।",
        codeLabel: "কোড",
        codeHint: "আটটি ইংরেজি অক্ষর, ছোট বা বড় হাতের, হাইফেনসহ বা হাইফেন ছাড়া।",
        continueWithCode: "এগিয়ে যান",
        codeUnknown: """
            এই কোডটি কাজ করছে না। হয়তো এটি ভুল লেখা হয়েছে, এর মেয়াদ শেষ হয়েছে অথবা এটি আগেই ব্যবহার করা \
            হয়েছে। ডিভাইসে দেখানো কোডের সঙ্গে মিলিয়ে দেখুন, অথবা ডিভাইসে একটি নতুন কোড নিন।
            """,
        codeTooManyTries: "অনেকবার ভুল কোড দেওয়া হয়েছে। কয়েক মিনিট অপেক্ষা করে আবার চেষ্টা করুন।",
        codeMissing: "যে কোডটি আপনার ডিভাইসে দেখা যাচ্ছে, সেটি লিখুন।",
        confirmDeviceTitle: "আপনার ডিভাইসে {{>applicationInTitle}}-\u{2060}এ সাইন ইন করবেন?",
        confirmDeviceHeading: "আপনার ডিভাইসে {{>application}}-\u{2060}এ সাইন ইন করবেন?",
        confirmDeviceCode: "আপনার ডিভাইসে ঠিক এই কোডটিই দেখা যাওয়ার কথা:",
        confirmDeviceCaution: """
            কাজটি আপনি নিজে শুরু করে থাকলে এবং কোড দুটি মিলে গেলে তবেই এগিয়ে যান। কেউ যদি আপনাকে এই কোড বা কোনো \
            লিঙ্ক পাঠিয়ে থাকেন, তাহলে এটি প্রতারণা হতে পারে: এগিয়ে যাবেন না।
            """,
        approveDeviceTitle: "শেষ ধাপ: {{>applicationInTitle}}-\u{2060}এ সাইন ইন করবেন?",
        approveDeviceHeading: "শেষ ধাপ: {{>application}}-\u{2060}এ সাইন ইন করবেন?",
        approveDeviceAccount: "আপনার ডিভাইসে এই অ্যাকাউন্ট দিয়ে সাইন ইন করা হবে:",
        approveDeviceCaution: "আপনি নিজে এটি শুরু না করে থাকলে “না” বেছে নিন।",
        approve: "হ্যাঁ, সাইন ইন করব",
        refuse: "না, সাইন ইন করব না",
        deviceApprovedHeading: "হয়ে গেছে। আপনার ডিভাইসে ফিরে যান।",
        deviceApprovedLead: """
            কয়েক সেকেন্ডের মধ্যে {{>application}}-\u{2060}এ সাইন ইন সম্পন্ন হবে। এখন এই পেজটি বন্ধ করতে পারেন।
            """,
        deviceRefusedHeading: "আপনার ডিভাইসে সাইন ইন করা হয়নি",
        deviceRefusedLead: """
            আপনি {{>application}}-\u{2060}এ সাইন ইন না করার সিদ্ধান্ত নিয়েছেন। ডিভাইসটি আপনার অ্যাকাউন্টে কোনো \
            অ্যাক্সেস পায়নি। এখন এই পেজটি বন্ধ করতে পারেন।
            """,
        enterCodeLink: "কোড লিখুন",
        requestNote: "সাহায্য চাওয়ার সময় এটি উল্লেখ করুন: {{>requestID}}",
        problems: .bengali)
}
