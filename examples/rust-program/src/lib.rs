//! Numbers in words, and how long the words are.

/// The number in English, up to 999.
#[wasm_xray::instrument]
pub fn words(n: u32) -> String {
    let mut text = Text::default();
    if n >= 100 {
        text.push(digit(n / 100));
        text.push("hundred");
    }
    let rest = n % 100;
    if rest > 0 || n == 0 {
        let _guard = wasm_xray::enter!("tens");
        below_hundred(&mut text, rest);
    }
    text.0
}

#[wasm_xray::instrument]
fn below_hundred(text: &mut Text, n: u32) {
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    if n < 20 {
        return text.push(digit(n));
    }
    text.push(TENS[n as usize / 10 - 2]);
    if !n.is_multiple_of(10) {
        text.push(digit(n % 10));
    }
}

#[wasm_xray::instrument]
fn digit(n: u32) -> &'static str {
    const NAMES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    NAMES[n as usize]
}

#[derive(Default)]
struct Text(String);

#[wasm_xray::instrument]
impl Text {
    fn push(&mut self, word: &str) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(word);
    }
}

/// Letters and blanks of all numbers below `end`.
#[unsafe(no_mangle)]
pub extern "C" fn letters(end: u32) -> usize {
    (0..end).map(|n| words(n).len()).sum()
}
