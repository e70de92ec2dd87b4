//! Address ranges. An IPv4 address is the low 32 bits of a number, an IPv6 address all 128.

use std::net::{Ipv4Addr, Ipv6Addr};

use num_bigint::BigInt;

use super::*;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("cidrhost", &[TEXT, NUMBER], Kind::Text, cidrhost),
    fixed("cidrnetmask", &[TEXT], Kind::Text, |_, it| {
        match network(&it[0])? {
            None => unsupported(Kind::Text),
            Some(it) if it.bits == 128 => Err(Failure::ANY),
            Some(it) => Ok(Value::text(&it.address(it.mask(it.length)))),
        }
    }),
    fixed(
        "cidrsubnet",
        &[TEXT, NUMBER, NUMBER],
        Kind::Text,
        cidrsubnet,
    ),
    variadic("cidrsubnets", &[TEXT], NUMBER, Kind::Texts, cidrsubnets),
];

#[derive(Clone, Copy)]
struct Network {
    bits: u32,
    length: u32,
    start: u128,
}

impl Network {
    fn mask(&self, length: u32) -> u128 {
        let all = u128::MAX >> (128 - self.bits);
        let hosts = self.bits - length;
        all & u128::MAX.checked_shl(hosts).unwrap_or(0)
    }

    fn address(&self, address: u128) -> String {
        match self.bits {
            32 => Ipv4Addr::from(address as u32).to_string(),
            _ => Ipv6Addr::from(address).to_string(),
        }
    }

    /// Whether Go prints an IPv6 address as an IPv4 one.
    fn is_mapped(&self, address: u128) -> bool {
        self.bits == 128 && address >> 32 == 0xffff
    }
}

/// `None` for spellings that Go reads in a way of its own.
fn network(value: &Value) -> Result<Option<Network>, Failure> {
    let (address, length) = text(value)?.split_once('/').ok_or(Failure::ANY)?;
    let digits = length.bytes().all(|it| it.is_ascii_digit()) && !length.is_empty();
    if !digits {
        return Err(Failure::ANY);
    }
    let parsed = if address.contains(':') {
        address
            .parse::<Ipv6Addr>()
            .ok()
            .map(|it| (128, u128::from(it)))
    } else {
        let four = address.parse::<Ipv4Addr>().ok();
        four.map(|it| (32, u128::from(u32::from(it))))
    };
    let Some((bits, address)) = parsed else {
        // it may have leading zeros
        return Ok(None);
    };
    let length: u32 = length.parse().map_err(|_| Failure::ANY)?;
    if length > bits {
        return Err(Failure::ANY);
    }
    let mut network = Network {
        bits,
        length,
        start: address,
    };
    network.start &= network.mask(length);
    Ok((!network.is_mapped(network.start)).then_some(network))
}

fn whole(value: &Value) -> Result<BigInt, Failure> {
    number(value)?.as_big().ok_or(Failure::ANY)
}

fn cidrhost(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let number = whole(&it[1])?;
    let (Some(network), Ok(number)) = (network(&it[0])?, i64::try_from(&number)) else {
        return unsupported(Kind::Text);
    };
    let most = !network.mask(network.length) & network.mask(network.bits);
    let host = if number < 0 {
        let back = u128::from(number.unsigned_abs()) - 1;
        most.checked_sub(back)
    } else {
        Some(number as u128).filter(|it| *it <= most)
    };
    let address = network.start | host.ok_or(Failure::ANY)?;
    if network.is_mapped(address) {
        return unsupported(Kind::Text);
    }
    Ok(Value::text(&network.address(address)))
}

fn cidrsubnet(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (new_bits, number) = (integer(&it[1])?, whole(&it[2])?);
    let Some(network) = network(&it[0])? else {
        return unsupported(Kind::Text);
    };
    let (Ok(new_bits), Ok(number)) = (u32::try_from(new_bits), u64::try_from(&number)) else {
        return unsupported(Kind::Text);
    };
    let length = network.length.saturating_add(new_bits);
    if length > network.bits {
        return Err(Failure::ANY);
    }
    if new_bits < 64 && number >> new_bits != 0 {
        return Err(Failure::ANY);
    }
    let shift = network.bits - length;
    let address = network.start | u128::from(number).checked_shl(shift).unwrap_or(0);
    if network.is_mapped(address) {
        return unsupported(Kind::Text);
    }
    Ok(Value::text(&format!(
        "{}/{length}",
        network.address(address)
    )))
}

/// One behind the other, each at the next multiple of its size.
fn cidrsubnets(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let Some(network) = network(&it[0])? else {
        return unsupported(Kind::Texts);
    };
    let end = network.start | !network.mask(network.length) & network.mask(network.bits);
    let mut last: Option<u128> = None;
    let mut subnets = Vec::new();
    for new_bits in &it[1..] {
        let new_bits = integer(new_bits)?;
        if !(1..=32).contains(&new_bits) {
            return Err(Failure::ANY);
        }
        let length = network.length + new_bits as u32;
        if length > network.bits {
            return Err(Failure::ANY);
        }
        let size = 1u128 << (network.bits - length);
        let start = match last {
            None => network.start,
            Some(last) => (last / size)
                .checked_add(1)
                .and_then(|it| it.checked_mul(size))
                .ok_or(Failure::ANY)?,
        };
        if start > end {
            return Err(Failure::ANY);
        }
        if network.is_mapped(start) || network.start == 0 && last.is_none() {
            // Go takes the first subnet of all for one too many
            return unsupported(Kind::Texts);
        }
        last = Some(start | (size - 1));
        subnets.push(Value::text(&format!("{}/{length}", network.address(start))));
    }
    Ok(Data::List(Type::Text, subnets.into()).into())
}
